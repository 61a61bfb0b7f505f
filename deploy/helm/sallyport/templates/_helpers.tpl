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
{{- toYaml (mergeOverwrite (deepCopy .Values.config) (dict "serve" $serve "audit" (dict "dir" "/state/audit"))) -}}
{{- end }}
