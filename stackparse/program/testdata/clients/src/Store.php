<?php
use Aws\S3\S3Client;
$client = new S3Client(['version' => 'latest', 'region' => 'eu-west-2']);
