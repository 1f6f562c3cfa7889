param env string = 'prod'
var regionMap = {
  prod: 'canadacentral'
  dev: 'canadaeast'
}
resource db 'Microsoft.DocumentDB/databaseAccounts@2023-04-15' = {
  name: 'db'
  properties: {
    locations: [
      {
        locationName: 'North Europe'
      }
    ]
  }
}
