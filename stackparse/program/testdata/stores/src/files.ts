import { S3Client } from '@aws-sdk/client-s3';
export const files = new S3Client({
  region: 'eu-central-2',
  endpoint: 'https://s3.eu-central-2.wasabisys.com',
});
export const mine = new S3Client({ region: 'eu-west-1' });
export const place = await fetch(`https://api.mapbox.com/geocoding/v5/x?access_token=${process.env.MAPBOX_TOKEN}`);
