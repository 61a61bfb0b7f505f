package docker

import "net/http"

// mediaType sniffs what an artifact is; its name proves nothing.
func mediaType(data []byte) string { return http.DetectContentType(data) }
