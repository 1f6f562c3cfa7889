param location string = 'northeurope'
resource sa 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  location: location
}
// resource x 'Microsoft.Web/sites@2022-01-01'
