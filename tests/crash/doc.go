// Package crash contains only tests. They run real server processes that end without
// warning, by SIGKILL at any time and by power failures of a drive that loses unsynced
// data, and compare them with a model of what they had acknowledged.
package crash
