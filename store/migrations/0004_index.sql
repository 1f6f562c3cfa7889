-- Pages filter by kind, openness and provider; without these they read the whole table.
CREATE INDEX incident_kind ON incident (kind, first_seen, provider, id);
CREATE INDEX incident_open ON incident (is_open, first_seen, provider, id);
CREATE INDEX incident_provider_seen ON incident (provider, first_seen, id);
CREATE INDEX feed_item_kind ON feed_item (kind, published_at);
