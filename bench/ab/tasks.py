"""Twenty tasks: a small project each, what a person wants of it, and tests that the agent never sees.

`mine` are the files that the task is about; `right` solves it, `wrong` looks like it and does not.
"""


def task(name, want, code, hidden, right, wrong, test="", more=None):
    """One task over the module `name`.py."""
    files = {f"{name}.py": code, f"test_{name}.py": head(name) + (test or smoke())}
    files.update(more or {})
    return {
        "name": name,
        "want": want,
        "files": {**files, "README.md": f"# {name}\n", "notes.txt": "keep me\n"},
        "mine": [f"{name}.py", f"test_{name}.py"],
        "hidden": head(name) + hidden,
        "right": {f"{name}.py": right},
        "wrong": {f"{name}.py": wrong},
    }


def head(name):
    return f"import unittest\nimport {name} as module\nfrom {name} import *\n\n\nclass T(unittest.TestCase):\n"


def smoke():
    return "    def test_it_loads(self):\n        self.assertTrue(module.__name__)\n"


def case(name, *lines):
    return f"    def test_{name}(self):\n" + "".join(f"        {line}\n" for line in lines)


def eq(name, *pairs):
    return case(name, *[f"self.assertEqual({left}, {right})" for left, right in pairs])


TASKS = [
    task(
        "slug",
        "slug() keeps runs of dashes and dashes at the ends. Make it give single dashes, none at the ends.",
        "import re\n\n\ndef slug(text):\n    return re.sub(r'[^a-z0-9]', '-', text.lower())\n",
        eq("runs", ("slug('A  b--c')", "'a-b-c'")) + eq("ends", ("slug('  x! ')", "'x'"), ("slug('!!')", "''")),
        "import re\n\n\ndef slug(text):\n    return re.sub(r'[^a-z0-9]+', '-', text.lower()).strip('-')\n",
        "import re\n\n\ndef slug(text):\n    return re.sub(r'[^a-z0-9]+', '-', text.lower())\n",
    ),
    task(
        "median",
        "median() is wrong for lists of even length, and must not change the list that it is given.",
        "def median(xs):\n    xs.sort()\n    return xs[len(xs) // 2]\n",
        eq("even", ("median([4, 1, 3, 2])", "2.5"), ("median([7])", "7"))
        + case("kept", "xs = [3, 1, 2]", "median(xs)", "self.assertEqual(xs, [3, 1, 2])"),
        "def median(xs):\n    xs = sorted(xs)\n    n = len(xs) // 2\n    return xs[n] if len(xs) % 2 else (xs[n - 1] + xs[n]) / 2\n",
        "def median(xs):\n    xs.sort()\n    n = len(xs) // 2\n    return xs[n] if len(xs) % 2 else (xs[n - 1] + xs[n]) / 2\n",
    ),
    task(
        "ranges",
        "ranges() turns [1, 2, 3, 5] into '1-3,5'. It loses the last range. Two numbers in a row stay '1,2'.",
        "def ranges(xs):\n    out, start = [], None\n    for x, y in zip(xs, xs[1:]):\n        start = x if start is None else start\n"
        "        if y != x + 1:\n            out.append(f'{start}-{x}' if start != x else str(x))\n            start = None\n    return ','.join(out)\n",
        eq("last", ("ranges([1, 2, 3, 5])", "'1-3,5'"), ("ranges([1, 2, 3])", "'1-3'"))
        + eq("two", ("ranges([1, 2])", "'1,2'"), ("ranges([])", "''"), ("ranges([4])", "'4'")),
        "def ranges(xs):\n    groups = []\n    for x in xs:\n        if groups and x == groups[-1][-1] + 1:\n            groups[-1].append(x)\n"
        "        else:\n            groups.append([x])\n    one = lambda g: f'{g[0]}-{g[-1]}' if len(g) > 2 else ','.join(map(str, g))\n"
        "    return ','.join(map(one, groups))\n",
        "def ranges(xs):\n    groups = []\n    for x in xs:\n        if groups and x == groups[-1][-1] + 1:\n            groups[-1].append(x)\n"
        "        else:\n            groups.append([x])\n    return ','.join(f'{g[0]}-{g[-1]}' if len(g) > 1 else str(g[0]) for g in groups)\n",
    ),
    task(
        "duration",
        "parse('1h30m') must give seconds: h, m and s in this order, each at most once; anything else is a ValueError.",
        "def parse(text):\n    return int(text.rstrip('s'))\n",
        eq("sums", ("parse('1h30m')", "5400"), ("parse('45s')", "45"), ("parse('2h1s')", "7201"))
        + case("bad", "for bad in ['', '5', 'm5', '1m1h', '1s1s', 'x']:", "    self.assertRaises(ValueError, parse, bad)"),
        "import re\n\n\ndef parse(text):\n    found = re.fullmatch(r'(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?', text)\n"
        "    if not text or not found:\n        raise ValueError(text)\n    h, m, s = (int(x or 0) for x in found.groups())\n    return h * 3600 + m * 60 + s\n",
        "import re\n\n\ndef parse(text):\n    units = {'h': 3600, 'm': 60, 's': 1}\n    return sum(int(n) * units[u] for n, u in re.findall(r'(\\d+)([hms])', text))\n",
    ),
    task(
        "wrap",
        "wrap(text, width) cuts words that would fit on the next line. Break at spaces; cut only a word longer than the width.",
        "def wrap(text, width):\n    return [text[i:i + width] for i in range(0, len(text), width)]\n",
        eq("words", ("wrap('aa bb cc', 5)", "['aa bb', 'cc']"), ("wrap('', 5)", "[]"))
        + eq("long", ("wrap('a bbbbbb c', 4)", "['a', 'bbbb', 'bb c']")),
        "def wrap(text, width):\n    lines = []\n    for word in text.split():\n        if lines and len(lines[-1]) + 1 + len(word) <= width:\n"
        "            lines[-1] += ' ' + word\n            continue\n        while len(word) > width:\n            lines.append(word[:width])\n"
        "            word = word[width:]\n        lines.append(word)\n    return lines\n",
        "def wrap(text, width):\n    lines = []\n    for word in text.split():\n        if lines and len(lines[-1]) + 1 + len(word) <= width:\n"
        "            lines[-1] += ' ' + word\n        else:\n            lines.append(word)\n    return lines\n",
    ),
    task(
        "lru",
        "The cache drops the oldest entry; it must drop the one that was used least lately. get() counts as use.",
        "class Cache:\n    def __init__(self, most):\n        self.most, self.kept = most, {}\n\n    def get(self, key):\n        return self.kept.get(key)\n\n"
        "    def put(self, key, value):\n        self.kept[key] = value\n        if len(self.kept) > self.most:\n            del self.kept[next(iter(self.kept))]\n",
        case("used", "c = Cache(2)", "c.put(1, 1); c.put(2, 2); c.get(1); c.put(3, 3)", "self.assertEqual((c.get(1), c.get(2), c.get(3)), (1, None, 3))")
        + case("again", "c = Cache(2)", "c.put(1, 1); c.put(2, 2); c.put(1, 9); c.put(3, 3)", "self.assertEqual((c.get(1), c.get(2)), (9, None))"),
        "class Cache:\n    def __init__(self, most):\n        self.most, self.kept = most, {}\n\n    def get(self, key):\n        if key not in self.kept:\n"
        "            return None\n        self.kept[key] = self.kept.pop(key)\n        return self.kept[key]\n\n    def put(self, key, value):\n"
        "        self.kept.pop(key, None)\n        self.kept[key] = value\n        if len(self.kept) > self.most:\n            del self.kept[next(iter(self.kept))]\n",
        "class Cache:\n    def __init__(self, most):\n        self.most, self.kept = most, {}\n\n    def get(self, key):\n        if key not in self.kept:\n"
        "            return None\n        self.kept[key] = self.kept.pop(key)\n        return self.kept[key]\n\n    def put(self, key, value):\n"
        "        self.kept[key] = value\n        if len(self.kept) > self.most:\n            del self.kept[next(iter(self.kept))]\n",
    ),
    task(
        "csvline",
        "split(line) must understand quoted fields: commas in quotes stay, and two quotes in a quoted field are one.",
        "def split(line):\n    return line.split(',')\n",
        eq("quoted", ("""split('a,"b,c",d')""", "['a', 'b,c', 'd']"), ("""split('"x""y"')""", """['x"y']"""))
        + eq("plain", ("split('a,,b')", "['a', '', 'b']"), ("split('')", "['']")),
        "import csv\n\n\ndef split(line):\n    return next(csv.reader([line]), ['']) or ['']\n",
        "import re\n\n\ndef split(line):\n    return [f.strip('\"') for f in re.findall(r'\"[^\"]*\"|[^,]+', line)]\n",
    ),
    task(
        "roman",
        "to_roman() writes IIII for 4. Use the subtractive forms, and refuse what is not in 1..3999 with a ValueError.",
        "def to_roman(n):\n    out = ''\n    for value, sign in [(1000, 'M'), (500, 'D'), (100, 'C'), (50, 'L'), (10, 'X'), (5, 'V'), (1, 'I')]:\n"
        "        out += sign * (n // value)\n        n %= value\n    return out\n",
        eq("forms", ("to_roman(4)", "'IV'"), ("to_roman(1994)", "'MCMXCIV'"), ("to_roman(3999)", "'MMMCMXCIX'"))
        + case("bad", "for bad in [0, -1, 4000]:", "    self.assertRaises(ValueError, to_roman, bad)"),
        "SIGNS = [(1000, 'M'), (900, 'CM'), (500, 'D'), (400, 'CD'), (100, 'C'), (90, 'XC'), (50, 'L'), (40, 'XL'), (10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')]\n\n\n"
        "def to_roman(n):\n    if not 0 < n < 4000:\n        raise ValueError(n)\n    out = ''\n    for value, sign in SIGNS:\n        out += sign * (n // value)\n        n %= value\n    return out\n",
        "SIGNS = [(1000, 'M'), (900, 'CM'), (500, 'D'), (400, 'CD'), (100, 'C'), (90, 'XC'), (50, 'L'), (40, 'XL'), (10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')]\n\n\n"
        "def to_roman(n):\n    out = ''\n    for value, sign in SIGNS:\n        out += sign * (n // value)\n        n %= value\n    return out\n",
    ),
    task(
        "chunks",
        "chunks(xs, n) must take any iterable, also one that can be read once, and refuse n < 1 with a ValueError at the call.",
        "def chunks(xs, n):\n    for i in range(0, len(xs), n):\n        yield xs[i:i + n]\n",
        eq("any", ("list(chunks(iter(range(5)), 2))", "[[0, 1], [2, 3], [4]]"), ("list(chunks([], 2))", "[]"))
        + case("bad", "self.assertRaises(ValueError, chunks, [1], 0)"),
        "from itertools import islice\n\n\ndef chunks(xs, n):\n    if n < 1:\n        raise ValueError(n)\n    xs = iter(xs)\n    return iter(lambda: list(islice(xs, n)), [])\n",
        "from itertools import islice\n\n\ndef chunks(xs, n):\n    if n < 1:\n        raise ValueError(n)\n    xs = iter(xs)\n    while part := list(islice(xs, n)):\n        yield part\n",
    ),
    task(
        "merge",
        "merge(a, b) must join nested dictionaries deeply, b before a, and change neither of them.",
        "def merge(a, b):\n    a.update(b)\n    return a\n",
        eq("deep", ("merge({'x': {'a': 1}}, {'x': {'b': 2}})", "{'x': {'a': 1, 'b': 2}}"), ("merge({'x': 1}, {'x': {}})", "{'x': {}}"))
        + case("kept", "a = {'x': {'a': 1}}", "m = merge(a, {'x': {'b': 2}})", "m['x']['c'] = 3", "self.assertEqual(a, {'x': {'a': 1}})")
        + case("other", "b = {'y': {'b': 2}}", "merge({}, b)['y']['c'] = 3", "self.assertEqual(b, {'y': {'b': 2}})"),
        "from copy import deepcopy\n\n\ndef merge(a, b):\n    out = deepcopy(a)\n    for key, value in b.items():\n        both = isinstance(out.get(key), dict) and isinstance(value, dict)\n"
        "        out[key] = merge(out[key], value) if both else deepcopy(value)\n    return out\n",
        "def merge(a, b):\n    out = dict(a)\n    for key, value in b.items():\n        both = isinstance(out.get(key), dict) and isinstance(value, dict)\n"
        "        out[key] = merge(out[key], value) if both else value\n    return out\n",
    ),
    task(
        "version",
        "newer(a, b) compares '1.10' and '1.9' as text. Compare by numbers; '1.0' and '1' are the same; '1.0-rc1' comes before '1.0'.",
        "def newer(a, b):\n    return a > b\n",
        eq("numbers", ("newer('1.10', '1.9')", "True"), ("newer('1.0', '1')", "False"), ("newer('1', '1.0')", "False"))
        + eq("early", ("newer('1.0', '1.0-rc1')", "True"), ("newer('1.0-rc1', '1.0')", "False")),
        "def key(text):\n    numbers, _, early = text.partition('-')\n    parts = [int(n) for n in numbers.split('.')]\n    while parts and not parts[-1]:\n        parts.pop()\n"
        "    return parts, not early, early\n\n\ndef newer(a, b):\n    return key(a) > key(b)\n",
        "def newer(a, b):\n    key = lambda text: [int(n) for n in text.split('-')[0].split('.')]\n    return key(a) > key(b)\n",
    ),
    task(
        "template",
        "fill('{a}', {}) must leave names that are not given as they are, and '{{' and '}}' stand for braces.",
        "def fill(text, names):\n    for name, value in names.items():\n        text = text.replace('{' + name + '}', str(value))\n    return text\n",
        eq("left", ("fill('{a} {b}', {'a': 1})", "'1 {b}'")) + eq("braces", ("fill('{{a}}', {'a': 1})", "'{a}'"), ("fill('{a}', {'a': '{b}', 'b': 2})", "'{b}'")),
        "import re\n\n\ndef fill(text, names):\n    def one(found):\n        if found[0] in ('{{', '}}'):\n            return found[0][0]\n"
        "        return str(names.get(found[1], found[0]))\n    return re.sub(r'\\{\\{|\\}\\}|\\{(\\w+)\\}', one, text)\n",
        "import re\n\n\ndef fill(text, names):\n    return re.sub(r'\\{(\\w+)\\}', lambda found: str(names.get(found[1], found[0])), text)\n",
    ),
    task(
        "intervals",
        "union() joins intervals that overlap. It needs sorted input and does not join those that touch; mend both.",
        "def union(xs):\n    out = []\n    for a, b in xs:\n        if out and a < out[-1][1]:\n            out[-1] = (out[-1][0], b)\n        else:\n            out.append((a, b))\n    return out\n",
        eq("any", ("union([(5, 6), (1, 3), (3, 4)])", "[(1, 4), (5, 6)]"), ("union([(1, 9), (2, 3)])", "[(1, 9)]"), ("union([])", "[]")),
        "def union(xs):\n    out = []\n    for a, b in sorted(xs):\n        if out and a <= out[-1][1]:\n            out[-1] = (out[-1][0], max(b, out[-1][1]))\n        else:\n            out.append((a, b))\n    return out\n",
        "def union(xs):\n    out = []\n    for a, b in sorted(xs):\n        if out and a <= out[-1][1]:\n            out[-1] = (out[-1][0], b)\n        else:\n            out.append((a, b))\n    return out\n",
    ),
    task(
        "retry",
        "retry(f, n) must call f at most n times, raise the last error, and not swallow KeyboardInterrupt.",
        "def retry(f, n):\n    for _ in range(n + 2):\n        try:\n            return f()\n        except BaseException:\n            pass\n",
        case("most", "calls = []", "def f():", "    calls.append(1)", "    raise KeyError(len(calls))", "with self.assertRaises(KeyError) as e:", "    retry(f, 3)", "self.assertEqual((len(calls), e.exception.args), (3, (3,)))")
        + case("stop", "def f():", "    raise KeyboardInterrupt", "self.assertRaises(KeyboardInterrupt, retry, f, 1)"),
        "def retry(f, n):\n    for left in reversed(range(n)):\n        try:\n            return f()\n        except Exception:\n            if not left:\n                raise\n",
        "def retry(f, n):\n    for _ in range(n):\n        try:\n            return f()\n        except Exception:\n            pass\n",
    ),
    task(
        "luhn",
        "valid() takes spaces and dashes in a number, and says False to an empty text and to letters.",
        "def valid(text):\n    total = 0\n    for i, c in enumerate(reversed(text)):\n        d = int(c) * (1 + i % 2)\n        total += d - 9 if d > 9 else d\n    return total % 10 == 0\n",
        eq("kinds", ("valid('4539 1488 0343 6467')", "True"), ("valid('8273-1232-7352-0569')", "False"), ("valid('')", "False"), ("valid('  ')", "False"), ("valid('a1')", "False")),
        "def valid(text):\n    text = text.replace(' ', '').replace('-', '')\n    if not (text.isascii() and text.isdigit()):\n        return False\n    total = 0\n    for i, c in enumerate(reversed(text)):\n"
        "        d = int(c) * (1 + i % 2)\n        total += d - 9 if d > 9 else d\n    return total % 10 == 0\n",
        "def valid(text):\n    text = ''.join(c for c in text if c.isdigit())\n    total = 0\n    for i, c in enumerate(reversed(text)):\n"
        "        d = int(c) * (1 + i % 2)\n        total += d - 9 if d > 9 else d\n    return total % 10 == 0\n",
    ),
    task(
        "paths",
        "inside(base, path) must say False to every path that leads out of base by '..', and to siblings with the same beginning.",
        "def inside(base, path):\n    return path.startswith(base)\n",
        eq("out", ("inside('/a/b', '/a/b/../c')", "False"), ("inside('/a/b', '/a/bc')", "False"))
        + eq("in", ("inside('/a/b', '/a/b/c/../d')", "True"), ("inside('/a/b/', '/a/b')", "True"), ("inside('/', '/x')", "True")),
        "import posixpath\n\n\ndef inside(base, path):\n    base, path = posixpath.normpath(base), posixpath.normpath(path)\n    return path == base or path.startswith(base.rstrip('/') + '/')\n",
        "import posixpath\n\n\ndef inside(base, path):\n    return posixpath.normpath(path).startswith(posixpath.normpath(base))\n",
    ),
    task(
        "bank",
        "transfer() must move nothing where the money does not suffice or the amount is not positive; raise ValueError then.",
        "def transfer(accounts, a, b, amount):\n    accounts[a] -= amount\n    accounts[b] += amount\n    if accounts[a] < 0:\n        raise ValueError(amount)\n",
        case("kept", "for amount in [11, 0, -3]:", "    accounts = {'a': 10, 'b': 0}", "    self.assertRaises(ValueError, transfer, accounts, 'a', 'b', amount)", "    self.assertEqual(accounts, {'a': 10, 'b': 0})")
        + case("unknown", "accounts = {'a': 10}", "self.assertRaises(KeyError, transfer, accounts, 'a', 'x', 5)", "self.assertEqual(accounts, {'a': 10})"),
        "def transfer(accounts, a, b, amount):\n    has, gets = accounts[a], accounts[b]\n    if amount <= 0 or amount > has:\n        raise ValueError(amount)\n    accounts[a] -= amount\n    accounts[b] += amount\n",
        "def transfer(accounts, a, b, amount):\n    if amount <= 0 or amount > accounts[a]:\n        raise ValueError(amount)\n    accounts[a] -= amount\n    accounts[b] += amount\n",
    ),
    task(
        "words",
        "top(text, n) must count words without regard to case and marks, and order equal counts by the alphabet.",
        "from collections import Counter\n\n\ndef top(text, n):\n    return Counter(text.split()).most_common(n)\n",
        eq("order", ("top('b a. B, c', 2)", "[('b', 2), ('a', 1)]"), ("top(\"don't Don't\", 1)", "[(\"don't\", 2)]"), ("top('', 3)", "[]")),
        "import re\nfrom collections import Counter\n\n\ndef top(text, n):\n    counts = Counter(re.findall(r\"[a-z0-9]+(?:'[a-z0-9]+)*\", text.lower()))\n    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:n]\n",
        "import re\nfrom collections import Counter\n\n\ndef top(text, n):\n    return Counter(re.findall(r'[a-z]+', text.lower())).most_common(n)\n",
    ),
    task(
        "matrix",
        "rotate() turns a square clockwise in place. It must do so for any rectangle, give a new one, and leave the old one alone.",
        "def rotate(m):\n    m.reverse()\n    for i in range(len(m)):\n        for j in range(i):\n            m[i][j], m[j][i] = m[j][i], m[i][j]\n    return m\n",
        eq("any", ("rotate([[1, 2, 3], [4, 5, 6]])", "[[4, 1], [5, 2], [6, 3]]"), ("rotate([])", "[]"))
        + case("kept", "m = [[1, 2], [3, 4]]", "rotate(m)[0][0] = 9", "self.assertEqual(m, [[1, 2], [3, 4]])"),
        "def rotate(m):\n    return [list(row) for row in zip(*reversed(m))]\n",
        "def rotate(m):\n    m.reverse()\n    return [list(row) for row in zip(*m)]\n",
    ),
    task(
        "stack",
        "calc('3 4 +') reads postfix. Add '-', '*' and '/', and raise ValueError where operands lack or are left over.",
        "def calc(text):\n    stack = []\n    for word in text.split():\n        stack.append(stack.pop() + stack.pop() if word == '+' else float(word))\n    return stack[-1]\n",
        eq("all", ("calc('7 2 -')", "5"), ("calc('8 4 /')", "2"), ("calc('2 3 4 * +')", "14"))
        + case("bad", "for bad in ['+', '1 +', '1 2', '']:", "    self.assertRaises(ValueError, calc, bad)"),
        "import operator\n\nSIGNS = {'+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.truediv}\n\n\ndef calc(text):\n    stack = []\n    for word in text.split():\n"
        "        if word not in SIGNS:\n            stack.append(float(word))\n            continue\n        if len(stack) < 2:\n            raise ValueError(text)\n        b, a = stack.pop(), stack.pop()\n"
        "        stack.append(SIGNS[word](a, b))\n    if len(stack) != 1:\n        raise ValueError(text)\n    return stack[0]\n",
        "import operator\n\nSIGNS = {'+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.truediv}\n\n\ndef calc(text):\n    stack = []\n    for word in text.split():\n"
        "        if word not in SIGNS:\n            stack.append(float(word))\n            continue\n        a, b = stack.pop(), stack.pop()\n        stack.append(SIGNS[word](a, b))\n    return stack[0]\n",
    ),
]
