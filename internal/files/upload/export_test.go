package upload

// SetChunkSize sets the chunk size of new sessions. Small chunks make tests fast.
func (s *Sessions) SetChunkSize(bytes int64) { s.chunkSize = bytes }

// SetReserve sets the amount of disk space that uploads leave free, so that tests can
// fill a small disk.
func (s *Sessions) SetReserve(bytes int64) { s.reserve = bytes }
