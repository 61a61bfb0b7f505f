{{- define "sallyport.name" -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- end }}
{{- define "sallyport.selector" -}}
app.kubernetes.io/name: sallyport
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "sallyport.labels" -}}
{{ include "sallyport.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- define "sallyport.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}
{{- define "sallyport.mib" -}}
{{ if hasSuffix "Gi" . }}{{ mul 1024 (trimSuffix "Gi" . | int) }}{{ else }}{{ trimSuffix "Mi" . }}{{ end }}
{{- end }}
{{- /* What a replica may take: each run its limit and, until that is seen, a bit more; what waits; the service. */ -}}
{{- define "sallyport.memory" -}}
{{- $each := (.Values.config.limits).memory_mb | default 512 | int | add 128 -}}
{{- $needs := add (mul .Values.parallel $each) (include "sallyport.mib" .Values.waiting | int) (include "sallyport.mib" .Values.scratch | int) 256 -}}
{{- if and (not .Values.kubernetes.enabled) (lt (include "sallyport.mib" .Values.resources.limits.memory | int) (int $needs)) -}}
{{- fail (printf "resources.limits.memory: %s is less than the %dMi that parallel (%d), config.limits.memory_mb, waiting (%s) and scratch (%s) may take" .Values.resources.limits.memory (int $needs) (int .Values.parallel) .Values.waiting .Values.scratch) -}}
{{- end -}}
{{- end }}
{{- define "sallyport.config" -}}
{{- $name := include "sallyport.name" . -}}
{{- $port := .Values.service.port | int -}}
{{- $hosts := list -}}
{{- range $host := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- $hosts = concat $hosts (ternary (list $host) (list (printf "%s:%d" $host $port)) (eq $port 443)) -}}
{{- end -}}
{{- $url := .Values.url | default (printf "https://%s" (last (initial $hosts))) -}}
{{- $serve := dict "listen" "0.0.0.0:8443" "health" "0.0.0.0:8444" "url" $url "hosts" (concat $hosts .Values.hosts) "delay" (printf "%ds" (int .Values.delaySeconds)) "drain" (printf "%ds" (int .Values.drainSeconds)) -}}
{{- $_ := set $serve "tls" (dict "cert" "/run/secrets/sallyport/tls/tls.crt" "key" "/run/secrets/sallyport/tls/tls.key") -}}
{{- if .Values.tokens }}{{ $_ := set $serve "tokens" "/run/secrets/sallyport/tokens/tokens" }}{{ end -}}
{{- if .Values.handleKeys }}{{ $_ := set $serve "handle_keys" "/run/secrets/sallyport/handles/keys" }}{{ end -}}
{{- if .Values.sharedPassword }}{{ $_ := set $serve "shared" (dict "password_file" "/run/secrets/sallyport/shared/password") }}{{ end -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) (dict "serve" $serve "audit" (dict "dir" "/state/audit"))) -}}
{{- end }}
