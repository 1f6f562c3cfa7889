#!/usr/bin/env python3
"""Checks Downwind proof bundles (.dwproof) with nothing but Python's standard library.

    python3 verify.py [--key KEY] [--from CHECKPOINT] [--root SIZE:ROOT8] [--stamps N]
                      [--witness KEY]... [--quorum N] [--bitcoin-block HEIGHT:HEADER]... FILE|DIR...

A second, independent reader of the format in archive.md; `downwind verify` gives the same verdicts. RFC 3161 time stamps
are not judged here (that needs X.509): asked for with --stamps, they make a bundle "weaker". OpenTimestamps proofs are.
Exit status: 0 valid, 2 invalid, 3 valid but weaker than asked, 4 unreadable or missing.
"""

import argparse
import base64
import datetime
import decimal
import hashlib
import json
import os
import re
import sys

VALID, INVALID, WEAKER, UNREADABLE = 0, 2, 3, 4
NAMES = {VALID: "valid", INVALID: "invalid", WEAKER: "weaker", UNREADABLE: "unreadable"}
WORDS = {VALID: "VALID", INVALID: "INVALID", WEAKER: "VALID, BUT WEAKER THAN ASKED", UNREADABLE: "UNREADABLE"}
INT64 = 1 << 63


class Wrong(Exception):
    """Something was altered."""


class Unreadable(Exception):
    """Something is not in its documented form."""


class Mistake(Exception):
    """What the caller asked for cannot be read, which says nothing of the bundles."""


# --- Ed25519 (RFC 8032), verification only ---------------------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def point(y, odd):
    """The curve point with this y, x odd or even, in extended coordinates; None where there is none."""
    y %= P
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if v * x * x % P == -u % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if v * x * x % P != u:
        return None
    if x & 1 != odd:
        x = -x % P
    return (x, y, 1, x * y % P)


def add(a, b):
    """Sum of two points; also right for equal ones."""
    m, n = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(k, a):
    """k times a point."""
    out = (0, 1, 1, 0)
    while k:
        if k & 1:
            out = add(out, a)
        a, k = add(a, a), k >> 1
    return out


BASE = point(4 * pow(5, P - 2, P), 0)


def signed(public, message, signature):
    """Whether an Ed25519 signature is good."""
    if len(public) != 32 or len(signature) != 64:
        return False
    raw = int.from_bytes(public, "little")
    a = point(raw & ((1 << 255) - 1), raw >> 255)
    s = int.from_bytes(signature[32:], "little")
    if a is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    minus = (-a[0] % P, a[1], a[2], -a[3] % P)
    r = add(times(s, BASE), times(k, minus))
    inverse = pow(r[2], P - 2, P)
    x, y = r[0] * inverse % P, r[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


# --- texts -----------------------------------------------------------------------------------------------------------


def unbase64(text):
    """Standard base64 of which there is one form only: padded, no line ends, unused bits zero."""
    try:
        out = base64.b64decode(text, validate=True)
    except ValueError:
        raise Wrong("not base64") from None
    if base64.b64encode(out).decode() != text:
        raise Wrong("another spelling of base64")
    return out


def lenient64(text):
    """Base64 as signed notes take it: line ends and unused bits do not matter."""
    try:
        return base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except ValueError:
        return None


def no_twins(pairs):
    out = {}
    for name, value in pairs:
        if name in out:
            raise ValueError("%r stands twice" % name)
        out[name] = value
    return out


def no_constant(name):
    raise ValueError("%s is no JSON" % name)


def whole(value):
    """Lone halves of surrogate pairs stand for U+FFFD, as in Go."""
    return re.sub("[\ud800-\udfff]", "\ufffd", value)


def fields(value, kinds, what):
    """An object with exactly these names or fewer; what is missing or null has its empty value."""
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise Unreadable("%s is no object" % what)
    for name in value:
        if name not in kinds:
            raise Unreadable("%s has the unknown part %r" % (what, name))
    return {name: typed(value.get(name), kind, name) for name, kind in kinds.items()}


def typed(value, kind, name):
    if isinstance(kind, tuple):  # a list of something
        if value is None:
            return []
        if not isinstance(value, list):
            raise Unreadable("%s is no list" % name)
        return [typed(v, kind[0], name) for v in value]
    if isinstance(kind, dict):
        return fields(value, kind, name)
    if value is None:
        return kind()
    if isinstance(value, bool) or not isinstance(value, kind):
        raise Unreadable("%s is of another type" % name)
    if kind is int and not -INT64 <= value < INT64:
        raise Unreadable("%s is too large" % name)
    return whole(value) if kind is str else value


ENTRY = {"leaf": str, "index": int, "inclusion": (str,)}
STAMP = {"kind": str, "authority": str, "token": str}
BUNDLE = {
    "schema": str, "key": str, "leaf": str, "index": int, "inclusion": (str,), "checkpoint": str, "state": str,
    "body": str, "stamps": (STAMP,), "earlier": (ENTRY,),
}
FACTS = {"url": str, "status": int, "etag": str, "last_modified": str, "body": str, "tls_host": str}
LEAF = {
    "v": int, "kind": str, "provider": str, "incident": str, "number": int, "state": str, "previous": str, "fetch": FACTS,
    "seen_at": str,
}


def read_bundle(data):
    try:
        b = json.loads(data.decode("utf-8"), object_pairs_hook=no_twins, parse_constant=no_constant)
    except (ValueError, RecursionError) as err:
        raise Unreadable("no proof bundle: %s" % err) from None
    b = fields(b, BUNDLE, "the bundle")
    if b["schema"] != "downwind.proof/v1":
        raise Unreadable("schema is %r" % b["schema"])
    if not b["leaf"] or not b["checkpoint"]:
        raise Unreadable("the bundle lacks its leaf or its checkpoint")
    return b


def number(n):
    """An integer as RFC 8785 writes it: through a double."""
    return int(decimal.Decimal(repr(float(n))))


def read_leaf(text):
    """A leaf, in canonical form (RFC 8785) and no other."""
    try:
        leaf = fields(json.loads(text, object_pairs_hook=no_twins, parse_constant=no_constant), LEAF, "the leaf")
    except (ValueError, RecursionError, Unreadable) as err:
        raise Wrong("the leaf cannot be read: %s" % err) from None
    if leaf["v"] != 1 or leaf["kind"] not in ("version", "seen"):
        raise Wrong("a leaf of version %d and kind %r is unknown here" % (leaf["v"], leaf["kind"]))
    out = dict(leaf, number=number(leaf["number"]), fetch={k: v for k, v in leaf["fetch"].items() if v})
    if "status" in out["fetch"]:
        out["fetch"]["status"] = number(out["fetch"]["status"])
    if not out["previous"]:
        del out["previous"]
    canonical = json.dumps(out, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if canonical != text or len(text.encode()) > 65535:
        raise Wrong("the leaf is not in canonical form")
    return leaf


# --- keys, notes and checkpoints (C2SP signed-note, tlog-checkpoint, tlog-cosignature) -------------------------------


def good_name(name):
    # Go's unicode.IsSpace; Python's str.isspace knows four more.
    return name != "" and not re.search("[+\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]", name)


def read_key(text, witness=False):
    """A verifier key, name+hash+base64: (name, hash, type, public)."""
    name, _, rest = text.partition("+")
    digits, _, encoded = rest.partition("+")
    raw = lenient64(encoded)
    if not raw or not good_name(name) or not re.fullmatch("[0-9a-fA-F]{8}", digits):
        raise Wrong("%r is no verifier key" % text)
    cosigner = witness and raw[0] == 4
    if cosigner and (digits != digits.lower() or base64.b64encode(raw).decode() != encoded):
        raise Wrong("%r is no verifier key" % text)
    want = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    if want.hex() != digits.lower() or len(raw) != 33 or (raw[0] != 1 and not cosigner):
        raise Wrong("%r is no verifier key" % text)
    return name, want, raw[0], raw[1:]


def good(key, text, sig):
    name, _, kind, public = key
    if kind == 1:
        return signed(public, text.encode(), sig)
    at = int.from_bytes(sig[:8], "big")
    return len(sig) == 72 and signed(public, b"cosignature/v1\ntime %d\n%s" % (at, text.encode()), sig[8:])


def open_checkpoint(note, key, witnesses=()):
    """The checkpoint of a signed note and the names of the witnesses that signed it."""
    if re.search("[\x00-\x09\x0b-\x1f]", note):
        raise Wrong("the checkpoint holds control characters")
    split = note.rfind("\n\n")
    if split < 0 or split + 2 == len(note) or not note.endswith("\n"):
        raise Wrong("the checkpoint carries no signature")
    text, lines = note[: split + 1], note[split + 2 : -1].split("\n")
    found = set()
    for at, line in enumerate(lines):
        name, _, encoded = line[2:].partition(" ")
        raw = lenient64(encoded)
        if not line.startswith("\u2014 ") or not good_name(name) or raw is None or len(raw) < 5 or at >= 100:
            raise Wrong("a signature line of the checkpoint is malformed")
        by = [k for k in [key, *witnesses] if (k[0], k[1]) == (name, raw[:4])]
        if len(by) > 1:
            raise Wrong("the key %s is given twice" % name)
        if not by or (name, raw[:4]) in found:
            continue
        if not good(by[0], text, raw[4:]):
            raise Wrong("the signature of %s is wrong" % name)
        found.add((name, raw[:4]))
    if (key[0], key[1]) not in found:
        raise Wrong("the checkpoint carries no signature of %s" % key[0])
    c = read_checkpoint(text)
    if c[0] != key[0]:
        raise Wrong("the checkpoint is of log %r, the key of %r" % (c[0], key[0]))
    return c, [n for n, h in found if (n, h) != (key[0], key[1])]


def read_checkpoint(text):
    lines = text.split("\n")
    if len(lines) < 4 or not lines[0]:
        raise Unreadable("a checkpoint has three lines")
    if not re.fullmatch("0|[1-9][0-9]{0,18}", lines[1]) or int(lines[1]) >= INT64:
        raise Unreadable("the checkpoint's size is no number")
    try:
        root = unbase64(lines[2])
    except Wrong:
        root = b""
    if len(root) != 32:
        raise Unreadable("the checkpoint's root is no hash")
    return lines[0], int(lines[1]), root


# --- the tree (RFC 6962) ---------------------------------------------------------------------------------------------


def climb(hashes, low, high, n, leaf):
    """The root over leaves low to high that an inclusion proof for leaf n gives."""
    if low + 1 == high:
        if hashes:
            raise Wrong("the proof has too many hashes")
        return hashlib.sha256(b"\x00" + leaf).digest()
    if not hashes:
        raise Wrong("the proof has too few hashes")
    middle = low + (1 << (high - low - 1).bit_length() - 1)
    if n < middle:
        left, right = climb(hashes[:-1], low, middle, n, leaf), hashes[-1]
    else:
        left, right = hashes[-1], climb(hashes[:-1], middle, high, n, leaf)
    return hashlib.sha256(b"\x01" + left + right).digest()


def check_inclusion(entry, c):
    hashes = [unbase64(h) for h in entry["inclusion"]]
    if any(len(h) != 32 for h in hashes):
        raise Wrong("a hash of the proof is no SHA-256")
    if not 0 <= entry["index"] < c[1]:
        raise Wrong("leaf %d is outside the tree of %d" % (entry["index"], c[1]))
    if climb(hashes, 0, c[1], entry["index"], entry["leaf"].encode()) != c[2]:
        raise Wrong("leaf %d is not in the tree: it was altered, moved or back-dated" % entry["index"])


# --- OpenTimestamps -------------------------------------------------------------------------------------------------

OTS = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01\x08"
PENDING, BITCOIN = bytes.fromhex("83dfe30d2ef90c8e"), bytes.fromhex("0588960d73d71901")


class Chain:
    """The chains of hashes of an .ots file: `ends` lists (tag, payload, message) of what they lead to."""

    def __init__(self, file):
        if not file.startswith(OTS) or not len(OTS) + 32 <= len(file) <= 16384:
            raise Wrong("no OpenTimestamps proof of version 1 over a SHA-256")
        self.rest, self.ends = file[len(OTS) :], []
        self.digest = self.take(32)
        self.items(self.digest, 0)
        if self.rest:
            raise Wrong("something follows behind the OpenTimestamps proof")

    def take(self, n):
        if n > len(self.rest):
            raise Wrong("the OpenTimestamps proof is cut off")
        out, self.rest = self.rest[:n], self.rest[n:]
        return out

    def number(self):
        n = shift = 0
        while True:
            b = self.take(1)[0]
            n |= (b & 127) << shift
            if b < 128:
                if n >> 64 or (b == 0 and shift):
                    raise Wrong("a number in the OpenTimestamps proof is not in its form")
                return n
            shift += 7

    def part(self, most):
        n = self.number()
        if n > most:
            raise Wrong("a part of the OpenTimestamps proof is too long")
        return self.take(n)

    def items(self, message, depth):
        """What follows a message: attestations, and operations with what follows their results."""
        if depth > 256 or len(message) > 4096:
            raise Wrong("the OpenTimestamps proof is too long")
        more = True
        while more:
            mark = self.take(1)[0]
            more = mark == 0xFF
            if more:
                mark = self.take(1)[0]
            if mark == 0:
                self.end(message)
            elif mark == 0x08:
                self.items(hashlib.sha256(message).digest(), depth + 1)
            elif mark in (0xF0, 0xF1):
                argument = self.part(4096)
                if not argument:
                    raise Wrong("an operation of the OpenTimestamps proof lacks its argument")
                self.items(message + argument if mark == 0xF0 else argument + message, depth + 1)
            else:
                raise Wrong("operation %#x of the OpenTimestamps proof is not read" % mark)

    def end(self, message):
        tag, payload = self.take(8), self.part(8192)
        outer, self.rest = self.rest, payload
        if tag == PENDING:
            payload = self.part(1000)
            if not re.fullmatch(b"[-._/:0-9A-Za-z]*", payload):
                raise Wrong("a calendar's address holds other characters than it may")
        elif tag == BITCOIN:
            payload = self.number()
        else:
            self.rest = b""
        if self.rest:
            raise Wrong("an attestation holds more than it should")
        self.rest = outer
        self.ends.append((tag, payload, message))


def read_block(text):
    """A height and the (Merkle root, time, hash) of a block header."""
    m = re.fullmatch("([0-9]+):([0-9a-fA-F]{160})", text, re.ASCII)
    if not m or int(m[1]) >= 1 << 32:
        raise Mistake("--bitcoin-block: %r is not a height and a header of 160 hex digits" % text)
    raw = bytes.fromhex(m[2])
    name = hashlib.sha256(hashlib.sha256(raw).digest()).digest()[::-1]
    bits = int.from_bytes(raw[72:76], "little")
    if int.from_bytes(name, "big") > (bits & 0x7FFFFF) << 8 * (bits >> 24) >> 24:
        raise Mistake("--bitcoin-block: the header is altered: its hash does not bear the difficulty that it claims")
    return int(m[1]), (raw[36:68], int.from_bytes(raw[68:72], "little"), name.hex())


def check_chain(r, stamp, c, seen, blocks):
    """Judges an OpenTimestamps proof; True when it leads to a block that is known."""
    text = "%s\n%d\n%s\n" % (c[0], c[1], base64.b64encode(c[2]).decode())
    chain = Chain(unbase64(stamp["token"]))
    if chain.digest != hashlib.sha256(text.encode()).digest():
        raise Wrong("the proof is over something else, not over this checkpoint")
    state = "it leads to no block of Bitcoin"
    for tag, payload, message in chain.ends:
        if tag == PENDING and state.startswith("it leads to no"):
            state = "pending: promised by the calendar %s" % payload.decode()
        if tag != BITCOIN:
            continue
        if payload not in blocks:
            state = "complete: it leads to Bitcoin's block %d, whose header was not given" % payload
            continue
        root, at, name = blocks[payload]
        if message != root:
            raise Wrong("it does not lead to the Merkle root of Bitcoin's block %d" % payload)
        if seen is not None and seen > at + 7200:
            raise Wrong("the leaf beneath claims to be read after Bitcoin's block %d" % payload)
        when = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
        r.lines.append("time stamp: ok: Bitcoin's block %d, %s, says %s" % (payload, name, when.strftime("%Y-%m-%d %H:%M:%SZ")))
        return True
    r.lines.append("time stamp: skipped: %s: %s" % (stamp["authority"], state))
    return False


def seconds(text):
    """The Unix time of a leaf, None where it is not in its form."""
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc).timestamp()
    except ValueError:
        return None


# --- the verdict -----------------------------------------------------------------------------------------------------


class Report:
    def __init__(self):
        self.verdict, self.lines = VALID, []

    def check(self, name, do, *args):
        """Runs one check; a check returns what is weak, or nothing."""
        try:
            weak = do(*args)
        except Wrong as err:
            self.verdict = INVALID
            self.lines.append("%s: failed: %s" % (name, err))
            return
        self.lines.append("%s: %s" % (name, "weak: " + weak if weak else "ok"))
        if weak and self.verdict == VALID:
            self.verdict = WEAKER


def check_hash(data, want, what):
    if hashlib.sha256(data).hexdigest() != want:
        raise Wrong("%s is not the one whose hash the log holds: it was altered" % what)


def check_root(asked, c):
    m = re.fullmatch("([+-]?[0-9]+):([0-9a-f]{8})", asked.replace(" \u00b7 ", ":").replace(" ", ""), re.ASCII)
    if not m or not 1 <= int(m[1]) < INT64:
        raise Wrong("%r is not a size and 8 hex digits" % asked)
    if int(m[1]) != c[1]:
        return "the checkpoint is of size %d, you know the root of size %s" % (c[1], m[1])
    if m[2] != c[2].hex()[:8]:
        raise Wrong("root %s at size %d, you know %s: the log has forked" % (c[2].hex()[:8], c[1], m[2]))


def check_held(held, key, c):
    try:
        text = held.decode("utf-8")
        mine = open_checkpoint(text, read_key(key))[0] if key else read_checkpoint(text)
    except (Unreadable, UnicodeDecodeError) as err:
        raise Wrong("the checkpoint that you hold: %s" % err) from None
    if mine[1] != c[1]:
        return "the checkpoint is of size %d, yours of size %d" % (c[1], mine[1])
    if mine[2] != c[2]:
        raise Wrong("another root at size %d: the log has forked" % c[1])


def check_earlier(entry, leaf, index, c):
    old = read_leaf(entry["leaf"])
    if (old["provider"], old["incident"]) != (leaf["provider"], leaf["incident"]):
        raise Wrong("leaf %d is about another incident" % entry["index"])
    if old["state"] != leaf["previous"] or entry["index"] >= index:
        raise Wrong("leaf %d is not of the version before" % entry["index"])
    check_inclusion(entry, c)


def verify(data, policy):
    """Judges one bundle."""
    r = Report()
    try:
        judge(r, read_bundle(data), policy)
    except Wrong as err:
        r.verdict = INVALID
        r.lines.append("failed: %s" % err)
    except Unreadable as err:
        r.verdict = UNREADABLE
        r.lines.append("unreadable: %s" % err)
    return r


def judge(r, b, policy):
    leaf = read_leaf(b["leaf"])
    if b["state"]:
        r.check("state", check_hash, b["state"].encode(), leaf["state"], "the incident")
    else:
        r.check("state", lambda: "the incident itself is not in the bundle")
    if b["body"]:
        r.check("body", lambda: check_hash(unbase64(b["body"]), leaf["fetch"]["body"], "the raw answer"))
    if policy.key and policy.key != b["key"]:
        raise Wrong("log key: the bundle names another than you trust")
    key = read_key(policy.key or b["key"])
    witnesses = [read_key(w, witness=True) for w in policy.witness]
    c, names = open_checkpoint(b["checkpoint"], key, witnesses)
    r.lines.append("checkpoint: ok: %s, size %d, root %s" % (c[0], c[1], c[2].hex()[:8]))
    if len(names) < policy.quorum:
        r.check("witness", lambda: "%d of %d asked for" % (len(names), policy.quorum))
    r.check("tree", check_inclusion, b, c)
    if policy.root:
        r.check("known root", check_root, policy.root, c)
    if policy.held:
        r.check("known checkpoint", check_held, policy.held, policy.key, c)
    for entry in b["earlier"]:
        r.check("earlier", check_earlier, entry, leaf, b["index"], c)
    good = set()
    for stamp in b["stamps"]:
        if stamp["kind"] != "opentimestamps":
            r.lines.append("time stamp: skipped: %s: this verifier judges none of kind %r" % (stamp["authority"], stamp["kind"]))
            continue
        try:
            if check_chain(r, stamp, c, seconds(leaf["seen_at"]), policy.blocks):
                good.add("Bitcoin")
        except Wrong as err:
            r.verdict = INVALID
            r.lines.append("time stamp: failed: %s: %s" % (stamp["authority"], err))
    if len(good) < policy.stamps:
        r.check("time stamps", lambda: "%d good ones of different authorities, %d asked for" % (len(good), policy.stamps))


def check_policy(policy):
    """Refuses what the caller holds and trusts where it is not in its form."""
    try:
        if policy.key:
            read_key(policy.key)
        for key in policy.witness:
            read_key(key, witness=True)
        if policy.root:
            check_root(policy.root, ("", -1, b""))
        if policy.held:
            read_checkpoint(policy.held.decode("utf-8"))
    except (Wrong, Unreadable, UnicodeDecodeError) as err:
        raise Mistake(err) from None


def files(paths):
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        names = sorted(os.path.join(d, n) for d, _, found in os.walk(path) for n in found if n.endswith(".dwproof"))
        if not names:
            raise Mistake("%s holds no .dwproof file" % path)
        yield from names


def main():
    p = argparse.ArgumentParser(description="Checks Downwind proof bundles offline.")
    p.add_argument("--key", default="", help="the log's verifier key that you trust (default: the bundle's own)")
    p.add_argument("--from", dest="held", default="", help="file with a checkpoint that you kept")
    p.add_argument("--root", default="", help="what a message's footer said, as 9120:3f9c1d2e")
    p.add_argument("--stamps", type=int, default=0, help="how many time stamps are asked for")
    p.add_argument("--witness", action="append", default=[], help="verifier key of a witness; may be given again")
    p.add_argument("--quorum", type=int, default=0, help="how many witnesses must have cosigned")
    p.add_argument("--bitcoin-block", action="append", default=[], help="height:header of a Bitcoin block that you trust")
    p.add_argument("--json", action="store_true", help="print one JSON document")
    p.add_argument("paths", nargs="+", metavar="FILE|DIR")
    policy = p.parse_args()
    out, worst = [], VALID
    try:
        policy.blocks = dict(read_block(text) for text in policy.bitcoin_block)
        if policy.held:
            with open(policy.held, "rb") as f:
                policy.held = f.read()
        check_policy(policy)
        for path in files(policy.paths):
            with open(path, "rb") as f:
                r = verify(f.read(), policy)
            out.append({"file": path, "exit": r.verdict, "result": NAMES[r.verdict], "findings": r.lines})
            worst = max(worst, r.verdict, key=[VALID, WEAKER, UNREADABLE, INVALID].index)
    except (OSError, Mistake) as err:
        print("verify.py: %s" % err, file=sys.stderr)
        return UNREADABLE
    if policy.json:
        json.dump({"result": NAMES[worst], "files": out}, sys.stdout)
        print()
        return worst
    for o in out:
        print("%s: %s" % (o["file"], WORDS[o["exit"]]))
        for line in o["findings"]:
            print("  " + line)
    print("result: %s (%d files)" % (WORDS[worst], len(out)))
    return worst


if __name__ == "__main__":
    sys.exit(main())
