//! Walking all pages of a list.

use crate::api::PageResult;
use crate::error::Result;

/// Records of a page when all are walked.
pub(crate) const SIZE: u32 = 100;

/// All records of a list, page by page. It ends after the first error.
pub struct Pages<T> {
    fetch: Box<dyn FnMut(u64) -> PageResult<T> + Send>,
    items: std::vec::IntoIter<T>,
    offset: u64,
    done: bool,
}

impl<T> Pages<T> {
    pub(crate) fn new(fetch: impl FnMut(u64) -> PageResult<T> + Send + 'static) -> Self {
        Pages {
            fetch: Box::new(fetch),
            items: Vec::new().into_iter(),
            offset: 0,
            done: false,
        }
    }
}

impl<T> Iterator for Pages<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        loop {
            if let Some(item) = self.items.next() {
                return Some(Ok(item));
            }
            if self.done {
                return None;
            }
            match (self.fetch)(self.offset) {
                Ok(page) => {
                    self.offset += page.data.len() as u64;
                    self.done = page.data.is_empty() || self.offset as i64 >= page.total;
                    self.items = page.data.into_iter();
                }
                Err(e) => {
                    self.done = true;
                    return Some(Err(e));
                }
            }
        }
    }
}

#[cfg(feature = "async")]
type PageFuture<T> = std::pin::Pin<Box<dyn std::future::Future<Output = PageResult<T>> + Send>>;

/// All records of a list of the async client, page by page. It ends after the
/// first error.
#[cfg(feature = "async")]
pub struct AsyncPages<T> {
    fetch: Box<dyn Fn(u64) -> PageFuture<T> + Send + Sync>,
    items: std::vec::IntoIter<T>,
    offset: u64,
    done: bool,
}

#[cfg(feature = "async")]
impl<T> AsyncPages<T> {
    pub(crate) fn new(fetch: impl Fn(u64) -> PageFuture<T> + Send + Sync + 'static) -> Self {
        AsyncPages {
            fetch: Box::new(fetch),
            items: Vec::new().into_iter(),
            offset: 0,
            done: false,
        }
    }

    /// The next record, `None` after the last one.
    pub async fn next(&mut self) -> Option<Result<T>> {
        loop {
            if let Some(item) = self.items.next() {
                return Some(Ok(item));
            }
            if self.done {
                return None;
            }
            match (self.fetch)(self.offset).await {
                Ok(page) => {
                    self.offset += page.data.len() as u64;
                    self.done = page.data.is_empty() || self.offset as i64 >= page.total;
                    self.items = page.data.into_iter();
                }
                Err(e) => {
                    self.done = true;
                    return Some(Err(e));
                }
            }
        }
    }
}
