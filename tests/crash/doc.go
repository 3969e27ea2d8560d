// Package crash has no code, only tests: real server processes that end without
// a warning, by SIGKILL at any moment and by power cuts on a drive that loses
// what was not synced, and a model of what they had acknowledged.
package crash
