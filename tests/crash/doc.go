// Package crash contains only tests. They run real server processes that end without warning. The
// causes are SIGKILL at random times and power failures of a drive that loses unsynced data. The
// tests then compare the data with a model of all acknowledged requests.
package crash
