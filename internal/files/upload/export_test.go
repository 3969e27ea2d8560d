package upload

// SetChunkSize makes chunks of new sessions small, so that tests are fast.
func (s *Sessions) SetChunkSize(bytes int64) { s.chunkSize = bytes }

// SetReserve lets uploads fill a small disk.
func (s *Sessions) SetReserve(bytes int64) { s.reserve = bytes }
