// Package stories contains only tests. A story is a random sequence of steps in the life of a data
// directory: requests to its server, jobs, compaction, erasure, import, damage and repair, restarts
// and kills. A copy of the directory receives only the changes that are recorded, and must be equal to
// the directory at several points of each story.
package stories
