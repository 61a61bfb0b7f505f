//go:build !linux

package main

func limitMemory(func(string) (string, bool)) {}
