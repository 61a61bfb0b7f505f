package policy

// Tighten returns the smaller non-zero value of each field of l and m.
func (l Limits) Tighten(m Limits) Limits {
	return Limits{
		WallMillis:    tighter(l.WallMillis, m.WallMillis),
		CPUMillis:     tighter(l.CPUMillis, m.CPUMillis),
		MemoryBytes:   tighter(l.MemoryBytes, m.MemoryBytes),
		Processes:     tighter(l.Processes, m.Processes),
		OutputBytes:   tighter(l.OutputBytes, m.OutputBytes),
		FileBytes:     tighter(l.FileBytes, m.FileBytes),
		ArtifactBytes: tighter(l.ArtifactBytes, m.ArtifactBytes),
		ArtifactCount: tighter(l.ArtifactCount, m.ArtifactCount),
	}
}

// tighter is the smaller of two bounds, of which zero means none. A negative
// one is a mistake that must not lift the other.
func tighter(a, b int64) int64 {
	switch {
	case a <= 0:
		return max(b, 0)
	case b <= 0:
		return a
	}
	return min(a, b)
}
