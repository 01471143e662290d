// What the server does in one step, in Lua 5.1. Every script works on the entries of one shape and name.
//
// KEYS[1] is what all keys of them begin with:
//   e:ID    hash of an entry: version, json, over (when it ends), and of a record createdAt and fields
//   order   ids by the number of their last write: the oldest make room
//   index   ids by age and then by id; values by key all have age 0
//   t:TAG   ids of the records with a field, by age and then by id; TAG is the SHA-1 of the field
//   ends    ids by when they end
//   held    hash of ids with the bytes of the value and the tags, which outlives the entry
//   meta    hash: number of the last write, bytes of all values
// ARGV[1] is the time. The server itself ends an entry a little later, also where no router runs any more; what the other keys
// have of it is swept when somebody reads or writes the name.

const prelude = `
local call = redis.call
local base, now = KEYS[1], tonumber(ARGV[1])
local order, index, ends, held, meta = base .. 'order', base .. 'index', base .. 'ends', base .. 'held', base .. 'meta'
local function entry(id) return base .. 'e:' .. id end
local function tagged(sha) return base .. 't:' .. sha end

-- Whether it was there, and not past its end. A server that evicts may have left the entry and no word of it elsewhere.
local function drop(id)
  local over, known = call('HGET', entry(id), 'over'), call('HGET', held, id)
  if known then
    local bytes
    for part in string.gmatch(known, '[^ ]+') do
      if bytes then call('ZREM', tagged(part), id) else bytes = part end
    end
    call('HINCRBY', meta, 'bytes', '-' .. bytes)
    call('HDEL', held, id)
  end
  for _, set in ipairs({order, index, ends}) do call('ZREM', set, id) end
  return call('UNLINK', entry(id)) == 1 and not (over and tonumber(over) <= now)
end

-- Whether there is more to sweep.
local function sweep(most)
  local over = call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, most)
  for _, id in ipairs(over) do drop(id) end
  return #over == most
end

-- The fields of an entry; nothing of one past its end.
local function read(id, ...)
  local found = call('HMGET', entry(id), 'over', 'version', ...)
  if not found[2] or (found[1] and tonumber(found[1]) <= now) then return nil end
  return found
end

local function fit(newest, maxEntries, maxBytes)
  for _ = 1, 64 do
    local entries, bytes = call('ZCARD', order), tonumber(call('HGET', meta, 'bytes'))
    if (maxEntries < 0 or entries <= maxEntries) and (maxBytes < 0 or bytes <= maxBytes) then return end
    local oldest = call('ZRANGE', order, 0, 0)[1]
    if oldest == newest then return end
    drop(oldest)
  end
end

-- Returns the number of the write. It begins with the time, so that none comes again after the server has lost its data.
local function put(new)
  -- First a command that needs memory: a server that is full stops a script before its first write, and not after it.
  if call('HEXISTS', meta, 'written') == 0 then
    local time = call('TIME')
    call('HSET', meta, 'written', time[1] .. string.format('%06d', tonumber(time[2])))
  end
  local version = string.format('%.0f', call('HINCRBY', meta, 'written', 1))
  drop(new.id)
  call('HSET', entry(new.id), 'version', version, 'json', new.json)
  if new.fields then call('HSET', entry(new.id), 'fields', new.fields, 'createdAt', new.age) end
  if new.over ~= '' then
    call('HSET', entry(new.id), 'over', new.over)
    call('PEXPIRE', entry(new.id), new.ttl)
    call('ZADD', ends, new.over, new.id)
  end
  local known = {string.format('%.0f', #new.json)}
  for _, tag in ipairs(new.tags or {}) do
    local sha = redis.sha1hex(tag)
    call('ZADD', tagged(sha), new.age, new.id)
    known[#known + 1] = sha
  end
  call('HINCRBY', meta, 'bytes', known[1])
  call('HSET', held, new.id, table.concat(known, ' '))
  call('ZADD', order, version, new.id)
  call('ZADD', index, new.age, new.id)
  sweep(16)
  fit(new.id, tonumber(new.maxEntries), tonumber(new.maxBytes))
  return version
end
`

/** ARGV from 2 on: id, json, over, ttl, maxEntries, maxBytes. */
const written = `
local new = {id = ARGV[2], json = ARGV[3], over = ARGV[4], ttl = ARGV[5], maxEntries = ARGV[6], maxBytes = ARGV[7], age = '0'}
`

/** ARGV from 2 on: what to do, order, how many to look at, how many to find, bytes to read, age and id to start after (or empty), tags. */
const scan = `
local act, newest, look, most, room = ARGV[2], ARGV[3] == 'newest', tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local age, after = ARGV[7], ARGV[8]
if sweep(500) then return {'more'} end
local tags = {}
for place = 9, #ARGV do tags[#tags + 1] = tagged(redis.sha1hex(ARGV[place])) end
local source = tags[1] or index
if act == 'count' and #tags < 2 then return {'end', call('ZCARD', source)} end

-- The place behind an id, which may have left or changed its age since.
local first = 0
if age ~= '' then
  local rank = newest and 'ZREVRANK' or 'ZRANK'
  local there = call('ZSCORE', source, after)
  if there and tonumber(there) == tonumber(age) then
    first = call(rank, source, after) + 1
  else
    call('ZADD', source, age, after)
    first = call(rank, source, after)
    if there then call('ZADD', source, there, after) else call('ZREM', source, after) end
  end
end

local looked = call(newest and 'ZREVRANGE' or 'ZRANGE', source, first, first + look - 1, 'WITHSCORES')
local count, found, place = 0, {}, 1
while place < #looked and count < most and room > 0 do
  local id = looked[place]
  local matches = true
  for other = 2, #tags do matches = matches and call('ZSCORE', tags[other], id) end
  if matches and act == 'delete' then
    if drop(id) then count = count + 1 end
  elseif matches and act == 'count' then
    count = count + 1
  elseif matches then
    local kept = read(id, 'fields', 'json')
    if kept then
      count = count + 1
      room = room - #kept[4]
      for _, part in ipairs({id, looked[place + 1], kept[3], kept[4]}) do found[#found + 1] = part end
    end
  end
  place = place + 2
end
local isEnd = place > #looked and #looked < 2 * look
return {isEnd and 'end' or 'on', count, looked[place - 1] or '', looked[place - 2] or '', unpack(found)}
`

const bodies = {
  /** Writes a value. Returns its version. */
  set: `${written} return put(new)`,
  /** Writes a value over a version, or over nothing for an empty one. Returns its version, or nothing. */
  compareAndSet: `${written}
    local before = read(new.id)
    if (before and before[2] or '') ~= ARGV[8] then return false end
    return put(new)`,
  /** Adds the amount that stands in place of the JSON. Returns the sum; what is there where it is no number, or where the sum is none. */
  increment: `${written}
    local before = read(new.id, 'json')
    local json = before and before[3] or '0'
    local sum = tonumber(json) and tonumber(json) + tonumber(new.json)
    if not sum or sum ~= sum or sum == math.huge or sum == -math.huge then return {false, json} end
    if before then
      new.over, new.ttl = before[1] or '', call('PTTL', entry(new.id))
    end
    new.json = string.format('%.17g', sum)
    put(new)
    return {new.json}`,
  /** Writes a record. ARGV from 8 on: age, fields, tags. */
  put: `${written}
    new.age, new.fields, new.tags = ARGV[8], ARGV[9], {}
    for place = 10, #ARGV do new.tags[#new.tags + 1] = ARGV[place] end
    return put(new)`,
  /** Whether there was something to delete. */
  delete: `return drop(ARGV[2]) and 1 or 0`,
  /** ARGV from 2 on: first and last key as ZRANGEBYLEX has them, the latter without its end; how many. */
  keys: `
    if sweep(500) then return {'more'} end
    return {'end', unpack(call('ZRANGEBYLEX', index, ARGV[2], ARGV[3] .. '\\255', 'LIMIT', 0, ARGV[4]))}`,
  scan,
} as const

export type ScriptName = keyof typeof bodies

export const scripts: Readonly<Record<ScriptName, string>> = Object.fromEntries(
  Object.entries(bodies).map(([name, body]) => [name, prelude + body]),
) as Record<ScriptName, string>
