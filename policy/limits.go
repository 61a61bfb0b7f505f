package policy

// Tighten returns the smaller value of those that are set, in each field of l
// and m. It is the only place where limits meet.
func (l Limits) Tighten(m Limits) Limits {
	return Limits{
		WallMillis:    tighter(l.WallMillis, m.WallMillis),
		CPUMillis:     tighter(l.CPUMillis, m.CPUMillis),
		MemoryBytes:   tighter(l.MemoryBytes, m.MemoryBytes),
		Processes:     tighter(l.Processes, m.Processes),
		OutputBytes:   tighter(l.OutputBytes, m.OutputBytes),
		FileBytes:     tighter(l.FileBytes, m.FileBytes),
		DiskBytes:     tighter(l.DiskBytes, m.DiskBytes),
		ArtifactBytes: tighter(l.ArtifactBytes, m.ArtifactBytes),
		ArtifactCount: tighter(l.ArtifactCount, m.ArtifactCount),
	}
}

// tighter is the smaller of two bounds, of which zero and less mean none: a
// negative bound is a mistake that must not lift the other.
func tighter(a, b int64) int64 {
	switch {
	case a <= 0:
		return max(b, 0)
	case b <= 0:
		return a
	}
	return min(a, b)
}
