<?php
define( 'DB_HOST', 'kolibri.c1a2b3.eu-west-1.rds.amazonaws.com' );
define( 'WPLANG', 'de_DE' );
