<?php

return [
    'disks' => [
        's3' => [
            'driver' => 's3',
            'endpoint' => env('AWS_ENDPOINT', 'https://ams3.digitaloceanspaces.com'),
        ],
    ],
];
