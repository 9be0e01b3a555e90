{{- define "trunkline.labels" -}}
app.kubernetes.io/name: trunkline
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "trunkline.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Each setting once: what the chart sets by itself gives way to .Values.settings. */}}
{{- define "trunkline.settings" -}}
{{- $own := dict
  "DATABASE_URL_FILE" "/run/secrets/trunkline/database-url"
  "SANDBOX_DATABASE_URL_FILE" "/run/secrets/trunkline/sandbox-database-url"
  "TRUNKLINE_SERVER_KEY_FILE" "/run/secrets/trunkline/server-key"
  "TRUNKLINE_SIP_PORT" "off"
  "TRUNKLINE_SANDBOX_SIP_PORT" "off"
-}}
{{- range $name, $value := merge (deepCopy .Values.settings) $own }}
{{ $name }}: {{ $value | quote }}
{{- end -}}
{{- end -}}
