// The tables of a store's file, and the check that a file is one.

import { RtrError } from "../../../kernel/index.ts"
import type { SqlDatabase } from "./connection.ts"

/** "rtrs" in ASCII; tells a store from the files of other programs. */
const applicationId = 0x72747273
const schemaVersion = 2

const triggers = `
CREATE TRIGGER items_added AFTER INSERT ON items BEGIN
  UPDATE collections SET items = items + 1, bytes = bytes + octet_length(new.value) WHERE id = new.collection;
END;
CREATE TRIGGER items_removed AFTER DELETE ON items BEGIN
  UPDATE collections SET items = items - 1, bytes = bytes - octet_length(old.value) WHERE id = old.collection;
END;
PRAGMA user_version = ${schemaVersion};
`

/** The first schema did not know the size of its collections. */
const fromFirstSchema = `
ALTER TABLE collections ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE collections SET bytes = (SELECT coalesce(sum(octet_length(value)), 0) FROM items WHERE collection = collections.id);
DROP TRIGGER items_added;
DROP TRIGGER items_removed;
${triggers}`

// `items.seq` grows with every write of the file and is never used twice: it is the version of a value, the age for eviction,
// and the place up to which a search has read. `position` orders the pages: the age of a record, 0 for a vector.
// A vector stands before the fields and the value, which may be long, so that a search reads no more pages than it must.
const tables = `
CREATE TABLE collections (
  id INTEGER PRIMARY KEY,
  shape TEXT NOT NULL,
  name BLOB NOT NULL,
  dimensions INTEGER,
  items INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  UNIQUE (shape, name)
) STRICT;
CREATE TABLE items (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL,
  key BLOB NOT NULL,
  expires REAL,
  position REAL,
  vector BLOB,
  fields TEXT,
  value TEXT NOT NULL,
  UNIQUE (collection, key)
) STRICT;
CREATE INDEX items_by_age ON items (collection, seq);
CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;
CREATE INDEX items_by_position ON items (collection, position, key, expires) WHERE position IS NOT NULL;
CREATE TABLE tags (
  item INTEGER NOT NULL REFERENCES items (seq) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  collection INTEGER NOT NULL,
  position REAL NOT NULL,
  key BLOB NOT NULL,
  PRIMARY KEY (item, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (collection, tag, position, key);
PRAGMA application_id = ${applicationId};
${triggers}`

/** Makes the tables in an empty file. Throws `unavailable` for a file of another program or of a newer version. */
export function prepareSchema(database: SqlDatabase, path: string): void {
  // A file that is not ours is not changed, so it is looked at before anything is set.
  if (versionOf(database, path) < schemaVersion) {
    database.exec("PRAGMA journal_mode = WAL")
    database.exec("BEGIN IMMEDIATE")
    try {
      // Another process may have made the tables in the meantime.
      const version = versionOf(database, path)
      if (version === 0) database.exec(tables)
      else if (version < schemaVersion) database.exec(fromFirstSchema)
      database.exec("COMMIT")
    } catch (error) {
      database.exec("ROLLBACK")
      throw error
    }
  }
  // A commit is in the log file before it returns, so it outlives the process; a power cut may take the last ones.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
}

/** The schema of the file; 0 for an empty one. */
function versionOf(database: SqlDatabase, path: string): number {
  const first = (sql: string): number => Number(Object.values(database.prepare(sql).get() as object)[0])
  if (first("SELECT count(*) FROM sqlite_schema") === 0) return 0
  if (first("PRAGMA application_id") !== applicationId)
    throw new RtrError(
      "unavailable",
      `Cannot use the store ${path}: it is a database of another program; name another file`,
    )
  const version = first("PRAGMA user_version")
  if (version < 1 || version > schemaVersion)
    throw new RtrError(
      "unavailable",
      `Cannot use the store ${path}: it has schema ${version}, and this version of rtr knows ${schemaVersion}; use the rtr that wrote it, or name another file`,
    )
  return version
}
