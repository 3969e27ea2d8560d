"""A small desktop program: a notepad that keeps itself up to date.

It looks for updates at its start, shows announcements, sends feedback, counts
what people agreed to, and reports its own errors.

    python notes.py https://svc.example.com/api/v1 acme-notes
"""

from __future__ import annotations

import sys
import tkinter as tk
from tkinter import ttk

from svc_sdk import SvcClient, SvcError, Update
from svc_sdk.types import PublicAnnouncement

VERSION = "1.4.0"


class Notes:
    """The window and what its buttons do."""

    def __init__(self, root: tk.Tk, client: SvcClient) -> None:
        self.root = root
        self.client = client
        self.news = tk.StringVar(value="")
        self.status = tk.StringVar(value="Looking for updates…")
        self.consent = tk.BooleanVar(value=False)
        root.title(f"Notes {VERSION}")
        ttk.Label(root, textvariable=self.news, wraplength=380).pack(fill="x", padx=8, pady=4)
        self.text = tk.Text(root, width=48, height=10)
        self.text.pack(fill="both", expand=True, padx=8)
        row = ttk.Frame(root)
        row.pack(fill="x", padx=8, pady=4)
        self.feedback = ttk.Button(row, text="Send as feedback", command=self.send_feedback)
        self.feedback.pack(side="left")
        ttk.Checkbutton(
            row, text="Count how I use it", variable=self.consent, command=self.change_consent
        ).pack(side="right")
        ttk.Label(root, textvariable=self.status).pack(fill="x", padx=8, pady=4)
        # Uncaught errors of callbacks go to the logs helper, too.
        client.logs.install()
        root.report_callback_exception = lambda _kind, error, _traceback: client.logs.capture(error)
        root.protocol("WM_DELETE_WINDOW", self.quit)
        client.background.submit(client.updates.check, on_success=self.updated, on_error=self.failed)
        client.background.submit(client.public.get_latest_announcement, on_success=self.announced)
        self.poll()

    def poll(self) -> None:
        """Let results of calls reach the window, on its own thread."""
        self.client.background.drain()
        self.root.after(50, self.poll)

    def updated(self, update: Update) -> None:
        """Say what the update check found."""
        if update.target is None:
            self.status.set("This is the newest version.")
            return
        must = "must" if update.decision == "required" else "can"
        self.status.set(f"You {must} update to {update.target['version']}.")

    def announced(self, announcement: PublicAnnouncement) -> None:
        """Show an announcement."""
        self.news.set(announcement["title"])

    def failed(self, error: BaseException) -> None:
        """Say what went wrong."""
        self.status.set(str(error) if isinstance(error, SvcError) else "Something went wrong.")

    def send_feedback(self) -> None:
        """Send what is written as feedback."""
        content = self.text.get("1.0", "end").strip()
        self.client.public.track("feedback_sent", {"characters": len(content)})
        self.client.background.submit(
            self.client.public.create_feedback,
            content,
            on_success=lambda _feedback: self.status.set("Thank you!"),
            on_error=self.failed,
        )

    def change_consent(self) -> None:
        """Collect events only while the box is ticked."""
        if self.consent.get():
            self.client.public.grant_consent()
            self.client.public.track("consent_given")
        else:
            self.client.public.revoke_consent()

    def quit(self) -> None:
        """Close the window; what was collected is sent on the way out."""
        self.client.close()
        self.root.destroy()


def main() -> None:
    """Open the window."""
    base_url, project_key = sys.argv[1:3]
    client = SvcClient(base_url, project_key, app_version=VERSION, analytics={"require_consent": True})
    root = tk.Tk()
    Notes(root, client)
    root.mainloop()


if __name__ == "__main__":
    main()
