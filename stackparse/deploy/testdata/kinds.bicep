resource llm 'Microsoft.CognitiveServices/accounts@2023-05-01' = {
  location: 'switzerlandnorth'
  kind: 'OpenAI'
}
resource db 'Microsoft.DBforPostgreSQL/flexibleServers@2023-03-01-preview' = {
  location: 'italynorth'
}
