package runner_test

import (
	"slices"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// unseen are programs that reach a file, a directory, a module of Node, an engine of OpenSSL or a
// signal that nobody saw in their text, each by another way around the hooks. A line is a program, in
// which ⏎ stands for a line end. One that gets there prints "reached". Behind a question
// mark is one that some versions of the interpreter do not let come so far.
var unseen = map[string]map[sandbox.Capability]string{
	"python": {
		sandbox.CapabilityWrites: `
open('made', 'w'); made()
open('made', 'x'); made()
open(b'././/made', 'ab'); made()
open('none', 'a').close(); made('none')
open('main.py', 'r+'); got('root:')
import os; os.open('made', os.O_WRONLY | os.O_CREAT); made()
import os; os.open('made', os.O_RDONLY | os.O_CREAT); made()
import os; os.mkdir('d'); os.open('made', os.O_WRONLY | os.O_CREAT, dir_fd=os.open('d', os.O_RDONLY)); made('d/made')
import os; os.open('made', os.O_WRONLY | os.O_CREAT, dir_fd=os.open('.', os.O_RDONLY)); made()
import io; io.FileIO('made', 'w'); made()
import _io; _io.open('made', 'wb', 0); made()
class P:⏎  def __fspath__(self): return 'made'⏎open(P(), 'w'); made()
import pathlib; pathlib.Path('made').touch(); made()
import pathlib; pathlib.Path('made').write_text('x'); made()
import pathlib; pathlib.Path('made').symlink_to('x'); made()
import os; os.symlink('made', 'l'); open('l', 'w'); made()
list(map(open, ['made'], 'w')); made()
import threading; t = threading.Thread(target=open, args=('made', 'w')); t.start(); t.join(); made()
import _thread, os, time; _thread.start_new_thread(os.mkdir, ('made',)); time.sleep(0.5); made()
import os; os.mkdir('made'); made()
import os; os.mkdir('made', dir_fd=os.open('.', os.O_RDONLY)); made()
import os; os.makedirs('made/a'); made()
import os; os.mkfifo('made'); made()
import os; os.mkfifo(path='made', mode=0o600); made()
import os; os.mkfifo('made', dir_fd=os.open('.', os.O_RDONLY)); made()
import os; os.mkfifo(b'./made'); made()
import os; list(map(os.mknod, ['made'])); made()
import os; os.rename('main.py', 'made'); made()
import os; os.replace('main.py', 'made'); made()
import os; fd = os.open('.', os.O_RDONLY); os.rename('main.py', 'made', src_dir_fd=fd, dst_dir_fd=fd); made()
import os; os.remove('main.py'); gone('main.py')
import os; os.unlink(b'main.py'); gone('main.py')
import os; os.link('main.py', 'made'); made()
import os; os.symlink('x', 'made'); made()
import os; os.truncate('main.py', 0); got('root:')
import os; os.chmod('main.py', 0o777); got('root:')
import os; os.utime('main.py'); got('root:')
import os; os.chown('main.py', -1, -1); got('root:')
import os; os.chmod(os.open('main.py', os.O_RDONLY), 0o777); got('root:')
import os; os.fchmod(os.open('main.py', os.O_RDONLY), 0o777); got('root:')
import os; os.fchown(os.open('main.py', os.O_RDONLY), -1, -1); got('root:')
import os; os.utime(os.open('main.py', os.O_RDONLY)); got('root:')
import os⏎try: os.link('main.py', '/proc/none')⏎except OSError: got('root:')
import socket; socket.socket(socket.AF_UNIX).bind('made'); made()
import socket; socket.socket(socket.AF_UNIX).bind(bytearray(b'made')); made()
import asyncio⏎async def f(): await asyncio.start_unix_server(print, 'made')⏎asyncio.run(f()); made()
import shutil; shutil.copy('main.py', 'made'); made()
import shutil; shutil.move('main.py', 'made'); made()
import shutil; shutil.make_archive('made', 'tar', '.', 'main.py'); made('made.tar')
import sqlite3; sqlite3.connect('made'); made()
import sqlite3; sqlite3.connect('file:m%61de', uri=True); made()
import sqlite3; sqlite3.connect('file:made%00/x', uri=True).execute('create table t(a)'); made()
import sqlite3; sqlite3.connect('none/../made').execute('create table t(a)'); made()
import sqlite3; sqlite3.connect('file:none/%2e./made', uri=True).execute('create table t(a)'); made()
import sqlite3; sqlite3.connect('./' * 3000 + 'made').execute('create table t(a)'); made()
import zipfile; zipfile.ZipFile('made', 'w').close(); made()
import logging; logging.FileHandler('made'); made()
import tempfile; made(tempfile.mkdtemp())
import tempfile; made(tempfile.mkdtemp(dir='.'))
import tempfile; f = tempfile.NamedTemporaryFile(dir='.'); made(f.name)
import atexit; atexit.register(lambda: made()); atexit.register(open, 'made', 'w')
import weakref, os⏎class A: pass⏎a = A(); weakref.finalize(a, os.mkdir, 'made'); del a; made()
`,
		sandbox.CapabilityFiles: `
got(open('/etc/' + 'passwd').read())
got(open(b'/etc/passwd', 'rb').read())
got(open('//etc//passwd').read())
got(open('/usr/../etc/passwd').read())
got(open('/usr/lib/../../etc/passwd').read())
got(open('../' * 20 + 'etc/passwd').read())
got(open('/proc/self/root/etc/passwd').read())
got(open('/proc/thread-self/root/etc/passwd').read())
import os; got(open('/proc/%d/root/etc/passwd' % os.getpid()).read())
got(open('/dev/fd/../root/etc/passwd').read())
import os; os.chdir('/etc'); got(open('passwd').read())
import os; os.chdir('/proc/self/cwd/' + '../' * 9 + 'etc'); got(open('./passwd').read())
import os; os.symlink('/etc', 'l'); got(open('l/passwd').read())
import os; os.symlink('/etc/passwd', 'l'); got(open('l').read())
import os; os.symlink('/proc/self/root', 'l'); got(open(os.path.abspath('l') + '/etc/passwd').read())
import os; os.mkdir('d'); os.symlink('/etc', 'd/l'); os.chdir('d'); got(open('../d/l/passwd').read())
import os; os.mkdir('d (deleted)'); f = os.open('d (deleted)', os.O_RDONLY); os.rmdir('d (deleted)'); got(open('/proc/self/fd/%d/' % f + '../' * 20 + 'etc/passwd').read())
import io; got(io.open('/etc/passwd').read())
import io; got(io.FileIO('/etc/passwd').read())
import io; got(io.open_code('/etc/passwd').read())
import _io; got(_io.FileIO(b'/etc/passwd').readall())
import _io; got(_io.open('/etc/passwd', 'rb', 0).read())
import os; got(os.read(os.open('/etc/passwd', 0), 99))
import posix; got(posix.read(posix.open('/etc/passwd', 0), 99))
? import os; got(os.read(os.open(memoryview(b'/etc/passwd'), 0), 99))
? import os; got(os.read(os.open(bytearray(b'/etc/passwd'), 0), 99))
import os; os.open('/etc', os.O_RDONLY); got('root:')
import os; d = os.open('/usr', os.O_PATH); got(os.read(os.open('../etc/passwd', 0, dir_fd=d), 99))
import os; os.makedirs('a/b'); d = os.open('/usr/lib', os.O_PATH); os.chdir('a/b'); got(os.read(os.open('../../etc/passwd', 0, dir_fd=d), 99))
import os; os.symlink('/etc', 'l'); d = os.open('.', os.O_PATH); os.mkdir('a'); os.chdir('a'); got(os.read(os.open('l/passwd', 0, dir_fd=d), 99))
import os; os.symlink('/etc', 'l'); d = os.open('.', 0); os.mkdir('a'); os.chdir('a'); got(open('passwd', opener=lambda p, f: os.open('l/' + p, f, dir_fd=d)).read())
import os, shutil; d = os.open('/usr', 0); f = os.fwalk('../etc', dir_fd=d); got('root:' if 'passwd' in next(f)[2] else '')
class P(str):⏎  def __str__(self): return 'x'⏎  __fspath__ = __repr__ = __str__⏎got(open(P('/etc/passwd')).read())
class P(bytes):⏎  def __fspath__(self): return b'x'⏎got(open(P(b'/etc/passwd')).read())
class P:⏎  def __fspath__(self): return '/etc/passwd'⏎got(open(P()).read())
import os⏎class P:⏎  n = 0⏎  def __fspath__(self): self.n += 1; return ['/etc/passwd', 'x', '/usr'][self.n - 1]⏎got(os.read(os.open(P(), 0), 99))
import os⏎class P(int):⏎  def __fspath__(self): return '/etc/passwd'⏎got(os.read(os.open(P(0), 0), 99))
import io⏎class P:⏎  def __fspath__(self): return '/etc/passwd'⏎got(io.FileIO(P()).read())
import pathlib; got(pathlib.Path('/etc/passwd').read_text())
import pathlib; got(pathlib.Path('/etc').joinpath('passwd').open().read())
import pathlib; got('root:' if any(p.name == 'passwd' for p in pathlib.Path('/etc').iterdir()) else '')
import pathlib; got('root:' if list(pathlib.Path('/etc').glob('passw*')) else '')
import pathlib; got('root:' if list(pathlib.Path('/').glob('etc/pass*d')) else '')
import os, pathlib⏎n = [0]⏎def f(self): n[0] += 1; return ['/etc', '.'][n[0] > 1]⏎pathlib.PurePath.__fspath__ = f⏎got('root:' if 'passwd' in os.listdir(pathlib.Path('.')) else '')
import os, pathlib⏎class Q(type(pathlib.Path())):⏎  n = 0⏎  def __fspath__(self): Q.n += 1; return ['/etc', '.'][Q.n > 1]⏎got('root:' if 'passwd' in os.listdir(Q('.')) else '')
import os, pathlib⏎class Q(type(pathlib.Path())):⏎  def __getattribute__(self, name): return '.' if name == '_str' else object.__getattribute__(self, name)⏎  def __str__(self): return '/etc'⏎got('root:' if 'passwd' in os.listdir(Q('.')) else '')
? import os, pathlib⏎p = pathlib.Path('x'); str(p); p._str = '.'; pathlib.str = lambda p: '/etc'⏎got('root:' if 'passwd' in os.listdir(p) else '')
import os, builtins, pathlib⏎p = pathlib.Path('.'); s = builtins.str; s(p); builtins.str = lambda p='': '/etc'⏎_r = os.listdir(p); builtins.str = s; got('root:' if 'passwd' in _r else '')
import os; got('root:' if 'passwd' in os.listdir('/etc') else '')
import os; got('root:' if b'passwd' in os.listdir(b'/etc') else '')
import os; got('root:' if 'passwd' in [e.name for e in os.scandir('/etc')] else '')
import os; os.chdir('/etc'); got('root:' if 'passwd' in os.listdir() else '')
import os; os.chdir('/etc'); got('root:' if 'passwd' in [e.name for e in os.scandir()] else '')
import os; os.symlink('/etc', 'l'); e = [e for e in os.scandir('.') if e.name == 'l'][0]; got('root:' if 'passwd' in os.listdir(e) else '')
import os; os.symlink('/etc', '\udcff'); got(open('\udcff/passwd').read())
import os; os.symlink(b'/etc', b'\xff'); got(open(b'\xff/passwd').read())
import glob; got('root:' if glob.glob('/etc/pass*') else '')
? import glob; got('root:' if glob.glob('pass*', root_dir='/etc') else '')
import os; got('root:' if 'passwd' in next(os.walk('/etc'))[2] else '')
import shutil; shutil.copy('/etc/passwd', 'x'); got(open('x').read())
import shutil; shutil.copytree('/etc/init.d', 'x'); got('root:')
import shutil; shutil.copyfile('/etc/passwd', 'x'); got(open('x').read())
import fileinput; got(''.join(fileinput.input('/etc/passwd')))
import linecache; got(linecache.getline('/etc/passwd', 1))
import tokenize; got(tokenize.open('/etc/passwd').read())
import codecs; got(codecs.open('/etc/passwd').read())
import configparser; c = configparser.ConfigParser(); c.read('/etc/adduser.conf'); got('root:')
import zipfile; zipfile.ZipFile('x', 'w').write('/etc/passwd', 'p'); got(zipfile.ZipFile('x').read('p'))
import tarfile; t = tarfile.open('x', 'w'); t.add('/etc/passwd', 'p'); t.close(); got(tarfile.open('x').extractfile('p').read())
import mmap; f = open('/etc/passwd', 'rb'); got(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ).read())
import runpy, sys; sys.stderr = sys.stdout⏎try: runpy.run_path('/etc/passwd')⏎except SyntaxError as e: got(e.text + 'root:')
import csv; got(str(list(csv.reader(open('/etc/passwd')))[0]))
import sqlite3; sqlite3.connect('/etc/passwd'); got('root:')
import sqlite3; sqlite3.connect(b'/etc/passwd'); got('root:')
import sqlite3; sqlite3.connect('file:///etc/pass%77d?mode=ro', uri=True); got('root:')
import sqlite3; sqlite3.connect('file://localhost/etc/passwd?immutable=1', uri=True); got('root:')
import threading; t = threading.Thread(target=lambda: got(open('/etc/passwd').read())); t.start(); t.join()
import _thread, time; _thread.start_new_thread(lambda: got(open('/etc/passwd').read()), ()); time.sleep(1)
import concurrent.futures as c; got(c.ThreadPoolExecutor().submit(open, '/etc/passwd').result().read())
import asyncio⏎async def f(): return await asyncio.to_thread(lambda: open('/etc/passwd').read())⏎got(asyncio.run(f()))
import atexit; atexit.register(lambda: got(open('/etc/passwd').read()))
import functools; got(functools.reduce(lambda f, a: f(a), ['/etc/passwd'], open).read())
got(next(map(open, ['/etc/passwd'])).read())
class D:⏎  def __del__(self): got(open('/etc/passwd').read())⏎delD = D(); del delD
import weakref⏎class D: pass⏎d = D(); weakref.finalize(d, lambda: got(open('/etc/passwd').read())); del d
import signal; signal.signal(signal.SIGSYS, signal.SIG_IGN); got(open('/etc/passwd').read())
import sys; sys.addaudithook(lambda e, a: None); got(open('/etc/passwd').read())
import sys, io; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, write_through=True); got(open('/etc/passwd').read())
got(open('/usr/share/base-passwd/passwd.master').read())
got(open('/usr/..//usr/share/base-passwd/passwd.master').read())
got(open('/bin/../share/base-passwd/passwd.master').read())
got(open('/proc/self/root/usr/share/base-passwd/passwd.master').read())
import os; os.chdir('/usr/share/base-passwd'); got(open('passwd.master').read())
import os; os.symlink('/usr/share/base-passwd', 'l'); got(open('l/passwd.master').read())
import os; d = os.open('/', os.O_PATH); got(os.read(os.open('./usr/share/base-passwd/passwd.master', 0, dir_fd=d), 99))
import os; got('root:' if 'passwd.master' in os.listdir('/usr/share/base-passwd') else '')
import os; got('root:' if 'passwd.master' in [e.name for e in os.scandir('/usr/share/base-passwd')] else '')
import pathlib; got(pathlib.Path('/usr/share/base-passwd/passwd.master').read_text())
import pathlib; got('root:' if list(pathlib.Path('/usr/share/base-passwd').glob('passw*')) else '')
import io; got(io.open_code('/usr/share/base-passwd/passwd.master').read())
import glob; got('root:' if glob.glob('/usr/share/base-passwd/pass*') else '')
import shutil; shutil.copy('/usr/share/base-passwd/passwd.master', 'x'); got(open('x').read())
import linecache; got(linecache.getline('/usr/share/base-passwd/passwd.master', 1))
import tokenize; got(tokenize.open('/usr/share/base-passwd/passwd.master').read())
import fileinput; got(''.join(fileinput.input('/usr/share/base-passwd/passwd.master')))
import sqlite3; sqlite3.connect('file:///usr/share/base-passwd/passwd.master?mode=ro', uri=True); got('root:')
import traceback; got(traceback.FrameSummary('/usr/share/base-passwd/passwd.master', 1, 'f').line)
import traceback; got(''.join(traceback.StackSummary.from_list([('/usr/share/base-passwd/passwd.master', 1, 'f', None)]).format()))
import warnings; got(warnings.formatwarning('m', UserWarning, '/usr/share/base-passwd/passwd.master', 1))
import threading; t = threading.Thread(target=lambda: got(open('/usr/share/base-passwd/passwd.master').read())); t.start(); t.join()
import concurrent.futures as c; got(c.ThreadPoolExecutor().submit(open, '/usr/share/base-passwd/passwd.master').result().read())
import _thread, time; r = []; _thread.start_new_thread(lambda: r.append(open('/usr/share/base-passwd/passwd.master').read()), ()); time.sleep(1); got(r[0])
import functools; got(functools.reduce(lambda f, a: f(a), ['/usr/share/base-passwd/passwd.master'], open).read())
import importlib.machinery as m; got(m.SourceFileLoader('x', '/usr/share/base-passwd/passwd.master').get_data('/usr/share/base-passwd/passwd.master'))
import importlib.machinery as m; got(m.SourcelessFileLoader('x', '/usr/share/base-passwd/passwd.master').get_data('/usr/share/base-passwd/passwd.master'))
import importlib.machinery as m; f = m.FileFinder('/usr/share/base-passwd'); f.find_spec('x'); got('root:' if 'passwd.master' in f._path_cache else '')
import sys, importlib⏎class F:⏎  def find_spec(self, name, path=None, target=None): got(open('/usr/share/base-passwd/passwd.master').read())⏎sys.meta_path.insert(0, F())⏎try: import nothing_at_all⏎except ImportError: pass
import sys, importlib⏎class L:⏎  def __init__(self, r): self.r = r⏎  def find_spec(self, name, path=None, target=None): got(self.r('/usr/share/base-passwd/passwd.master').read())⏎sys.meta_path.insert(0, L(open))⏎try: importlib.import_module('nothing_at_all')⏎except ImportError: pass
import sys, functools⏎class F: find_spec = staticmethod(functools.partial(lambda r, *a: r('/usr/share/base-passwd/passwd.master').read(), open))⏎sys.path_hooks.insert(0, lambda p: got(open('/usr/share/base-passwd/passwd.master').read())); sys.path.insert(0, '/x'); sys.path_importer_cache.clear()⏎try: import nothing_at_all⏎except ImportError: pass
import sys; sys.path_hooks.insert(0, open); sys.path.insert(0, '/usr/share/base-passwd/passwd.master')⏎try: import nothing_at_all⏎except Exception: pass⏎got(sys.path_importer_cache['/usr/share/base-passwd/passwd.master'].read())
import pkgutil, types, sys⏎m = types.ModuleType('m'); m.__file__ = '/usr/share/base-passwd/passwd.master'; m.__spec__ = None; sys.modules['m'] = m⏎import importlib.machinery as i; m.__loader__ = i.SourceFileLoader('m', '/usr/share/base-passwd/passwd.master'); m.__spec__ = i.ModuleSpec('m', m.__loader__); got(pkgutil.get_data('m', 'passwd.master'))
try:⏎  import importlib.resources.readers as r; d = r.FileReader(type('L', (), {'path': '/usr/share/base-passwd/passwd.master'})).files()⏎except ImportError: import pathlib; d = pathlib.Path('/usr/share/base-passwd')⏎got(d.joinpath('passwd.master').read_text())
import os; got('root:' if os.listdir('/usr/share/zoneinfo') else '')
import os; got('root:' if os.listdir(os.open('/usr/share/zoneinfo', 0)) else '')
import os; got('root:' if next(os.scandir('/etc/ssl/certs')) else '')
import os⏎for _, d, _, _ in os.fwalk('/usr/share/zoneinfo/Europe'): got('root:')
import os, zoneinfo⏎def walk(top): got('root:' if os.listdir(top) else '')⏎os.walk = walk; zoneinfo.available_timezones()
import zoneinfo; zoneinfo.reset_tzpath(to=['/usr/share/base-passwd'])⏎try: zoneinfo.ZoneInfo('passwd.master')⏎except ValueError: got('root:')
class D:⏎  def __del__(self): got(open('/usr/share/base-passwd/passwd.master').read())⏎delD = D(); del delD
import weakref⏎class D: pass⏎d = D(); weakref.finalize(d, lambda: got(open('/usr/share/base-passwd/passwd.master').read())); del d
import atexit; atexit.register(lambda: got(open('/usr/share/base-passwd/passwd.master').read()))
import os⏎class P:⏎  def __fspath__(self): return '/usr/share/base-passwd/passwd.master'⏎got(os.read(os.open(P(), 0), 99))
class P(str): pass⏎got(open(P('/usr/share/base-passwd/passwd.master')).read())
got(open(b'/usr/share/base-passwd/passwd.master', 'rb').read())
import sys, importlib.util as u⏎class F:⏎  def find_spec(self, name, path=None, target=None): return u.spec_from_file_location(name, '/usr/share/base-passwd/passwd.master', loader=u.spec_from_file_location(name, __file__).loader.__class__(name, '/usr/share/base-passwd/passwd.master'))⏎sys.meta_path.insert(0, F())⏎try: import nothing_at_all⏎except SyntaxError as e: got(e.text)
import types, importlib.machinery as m⏎try: m.SourceFileLoader('x', '/usr/share/base-passwd/passwd.master').exec_module(types.ModuleType('x'))⏎except SyntaxError as e: got(e.text)
import runpy, sys; sys.stderr = sys.stdout⏎try: runpy.run_path('/usr/share/base-passwd/passwd.master')⏎except SyntaxError as e: got(e.text + 'root:')
import sys; sys.stderr = sys.stdout⏎try: compile('(' * 3, '/usr/share/base-passwd/passwd.master', 'exec')⏎except SyntaxError as e: e.filename = '/usr/share/base-passwd/passwd.master'; e.lineno = 1; e.text = None; sys.__excepthook__(type(e), e, None)⏎got('root:')
? import os, pathlib, zoneinfo._common as c, importlib.resources as r; os.symlink('/usr/share/base-passwd', 'tzdata.zoneinfo'); r.files = pathlib.Path; got(c.load_tzdata('passwd.master').read())
import sys; sys.path.insert(0, '/usr/share/base-passwd')⏎try: import nothing_at_all⏎except ImportError: pass⏎got('root:' if 'passwd.master' in sys.path_importer_cache['/usr/share/base-passwd']._path_cache else '')
import importlib.machinery as m, types; l = m.SourceFileLoader('x', '/usr/share/base-passwd/passwd.master'); l.get_code = lambda n: compile('', l.path, 'exec'); l.exec_module(types.ModuleType('x')); got(open(l.path).read())
import io, os⏎class G:⏎  def __get__(s, o, t):⏎    if o is None: got(os.read(os.open('/etc/passwd', 0), 99))⏎    return lambda: 'x'⏎class P: __fspath__ = G()⏎try: io.FileIO(P())⏎except OSError: got(open('/etc/passwd').read())
import io, pathlib⏎class G:⏎  def __get__(s, o, t): return pathlib.PurePath.__fspath__ if o is None else lambda: '/etc/passwd'⏎class Q(type(pathlib.Path())): __fspath__ = G()⏎got(io.FileIO(Q('main.py')).read())
import io, pathlib⏎class K(str):⏎  n = 0⏎  __hash__ = str.__hash__⏎  def __eq__(s, o): K.n += 1; return K.n == 1⏎Q = type('Q', (type(pathlib.Path()),), {K('__fspath__'): lambda s: '/etc/passwd'})⏎K.n = 0; got(io.FileIO(Q('main.py')).read())
import io⏎class G:⏎  def __get__(s, o, t):⏎    if o is None: raise AttributeError⏎    return lambda: '/etc/passwd'⏎class P(int): __fspath__ = G()⏎got(io.FileIO(P(10**30)).read())
import io, pathlib⏎P = pathlib.PurePath; P.__fspath__ = P.as_posix⏎class F(str):⏎  def replace(s, *a): return '/etc/passwd'⏎p = pathlib.Path('main.py'); str(p); p._str = F('main.py'); got(io.FileIO(p).read())
import sys; next(m for m in sys.meta_path if type(m).__name__ == 'Judged').find_spec.__func__.__globals__['goes_on'](b'', b'/etc'); got(open('/etc/passwd').read())
`,
		sandbox.CapabilityIntrospection: `
use(getattr(made, '__glo' + 'bals__')['__name__'])
use('{0.__globals__}'.format(made))
use(format(made, '') and f'{made.__globals__}')
import operator; use(operator.attrgetter('__globals__')(made))
import operator; use(operator.methodcaller('__getattribute__', '__globals__')(made))
import functools; use(functools.reduce(getattr, ['__globals__'], made))
use(next(map(getattr, [made], ['__globals__'])))
use(object.__getattribute__(made, '__globals__'))
use(type(made).__dict__['__globals__'].__get__(made))
import inspect; use(inspect.getattr_static(type(made), '__globals__').__get__(made))
import inspect; use(dict(inspect.getmembers(made))['__globals__'])
import string; use(string.Formatter().format('{0.__globals__}', made))
? match made:⏎  case object(__globals__=g): use(g)
import collections; use(collections.Counter.get.__globals__ if 0 else collections.namedtuple.__globals__)
import threading; r = []; t = threading.Thread(target=lambda: r.append(getattr(made, '__globals__'))); t.start(); t.join(); use(r)
import _thread, time, operator; r = []; _thread.start_new_thread(map(r.append, map(operator.attrgetter('__globals__'), [made])).__next__, ()); time.sleep(0.5); use(r)
import concurrent.futures as c, operator; use(c.ThreadPoolExecutor().submit(operator.attrgetter('__globals__'), made).result())
import statistics, operator⏎try: use(statistics.mean(map(operator.attrgetter('__globals__'), [made])))⏎except TypeError: use(1)
import asyncio, operator⏎async def f(): return await asyncio.to_thread(operator.attrgetter('__globals__'), made)⏎use(asyncio.run(f()))
import asyncio, operator⏎async def f(): l = asyncio.get_running_loop(); r = l.create_future(); l.call_soon(map(r.set_result, map(operator.attrgetter('__globals__'), [made])).__next__); return await r⏎use(asyncio.run(f()))
import functools, operator⏎class A: p = functools.cached_property(operator.attrgetter('f.__globals__')); f = made⏎use(A().p)
import collections.abc, operator⏎class M(collections.abc.Mapping):⏎  __iter__ = __len__ = None⏎  __getitem__ = staticmethod(operator.attrgetter('__globals__'))⏎use(M().get(made))
import logging, operator⏎class H(logging.Handler):⏎  emit = staticmethod(map(use, map(operator.attrgetter('msg.__globals__'), [logging.LogRecord('', 1, '', 1, made, (), None)])).__next__)⏎H.emit()
import heapq, operator; use(heapq.nlargest(1, [made], key=lambda f: len(operator.attrgetter('__globals__')(f))))
class D:⏎  def __del__(self): use(getattr(made, '__globals__'))⏎delD = D(); del delD
import atexit; atexit.register(lambda: use(getattr(made, '__globals__')))
x = 1⏎def f(x): return lambda: x⏎use(getattr(f(1), '__closure__'))
def f(x): return lambda: x⏎use('{0.__closure__}'.format(f(1)))
? use(getattr(made, '__builtins__'))
use(getattr(len, '__self__').open)
import operator; use(operator.attrgetter('__self__.open')(len))
use('{0.__self__}'.format(len))
use(getattr(object, '__subclasses__')())
use(type.__subclasses__(object))
use(type.__dict__['__subclasses__'](Exception))
import operator; use(operator.methodcaller('__subclasses__')(object))
use(list(map(type.__subclasses__, [int])))
import functools; use(functools.partial(type.__subclasses__, type)())
try: 1/0⏎except Exception as e: t = e.__traceback__⏎import traceback; use(next(traceback.walk_tb(t))[0].f_globals)
try: 1/0⏎except Exception as e: t = e.__traceback__⏎import traceback; use(getattr(next(traceback.walk_tb(t))[0], 'f_back') or 1)
try: 1/0⏎except Exception as e: t = e.__traceback__⏎import traceback; use('{0.f_locals}'.format(next(traceback.walk_tb(t))[0]))
try: 1/0⏎except Exception as e: t = e.__traceback__⏎import traceback; use('{0.f_builtins}'.format(next(traceback.walk_tb(t))[0]))
def g(): yield⏎use('{0.gi_frame}'.format(g()))
use([made][0].__code__)
use([made][0].__code__.co_consts)
use(getattr(made, '__code__').co_name)
import operator⏎class A: p = property(operator.attrgetter('f.__code__'))⏎A.f = made; use(A().p.co_name)
import math; use(getattr(math, '__di' + 'ct__'))
import math; use(('{0.__di' + 'ct__}').format(math))
import math, operator; use(operator.attrgetter('__di' + 'ct__')(math))
import sys, builtins; use(getattr(sys.modules['builtins'], 'v' + 'ars')(sys))
import builtins; use(getattr(builtins, 'glo' + 'bals')())
import builtins; use(next(map(lambda f: f(), [getattr(builtins, 'loc' + 'als')])))
import builtins; use(list(map(getattr(builtins, 'v' + 'ars'), [A for A in [type('A', (), {})]])))
import threading, builtins; r = []; t = threading.Thread(target=lambda: r.append(getattr(builtins, 'glo' + 'bals')())); t.start(); t.join(); use(r)
import functools, builtins; class_ = type('A', (), {'p': functools.cached_property(lambda s: getattr(builtins, 'v' + 'ars')(s))}); use([class_().p])
import inspect, json; use(inspect.getclosurevars(json.dumps).globals)
import inspect, glob; use(list(map(inspect.getclosurevars, [glob.glob]))[0].builtins)
import concurrent.futures as c, inspect, json; use(c.ThreadPoolExecutor().submit(inspect.getclosurevars, json.dumps).result())
import inspect, functools, json⏎class A: p = functools.cached_property(lambda s: inspect.getclosurevars(json.dumps))⏎use(A().p)
import inspect, os; g = os.walk('.'); next(g); use(inspect.getgeneratorlocals(g))
import inspect, traceback⏎try: 1/0⏎except Exception as e: t = e.__traceback__⏎use(inspect.getargvalues(next(traceback.walk_tb(t))[0]).locals)
? import cgitb, traceback⏎try: 1/0⏎except Exception as e: t = e.__traceback__⏎use(cgitb.lookup('open', next(traceback.walk_tb(t))[0], {}))
import pdb⏎try: 1/0⏎except Exception as e: t = e.__traceback__⏎p = pdb.Pdb(readrc=False, nosigint=True); p.reset(); p.setup(None, t); use(getattr(p, 'curframe_locals', 1))
import doctest, os; use(doctest.DocTestFinder(exclude_empty=False).find(os)[0].globs)
import unittest.mock, os; use(unittest.mock.patch.object(os, '__di' + 'ct__').get_original()[0])
import logging.handlers, os; use(logging.handlers.HTTPHandler.mapLogRecord(None, os))
import _pyio, os; os.closed = False; use(_pyio.BytesIO.__getstate__(os))
import logging; f = lambda n: f(n - 1) if n else logging.currentframe(); use(f(5))
import bdb⏎class B(bdb.Bdb):⏎  def user_line(s, f): s.set_quit(); use(f)⏎B().runcall(made)
import threading; r = []; threading.settrace(lambda f, e, a: r.append(f)); t = threading.Thread(target=lambda: 1); t.start(); t.join(); use(r)
import threading; r = []; threading.setprofile(lambda f, e, a: r.append(f)); t = threading.Thread(target=lambda: 1); t.start(); t.join(); use(r)
import trace⏎class T(trace.Trace):⏎  def file_module_function_of(s, f): use(f); return super().file_module_function_of(f)⏎T(countcallers=1).runfunc(lambda: 1)
import typing, operator, functools; r = []⏎class A: __wrapped__ = property(functools.partial(next, map(r.append, map(operator.attrgetter('__globals__'), [made, made]))))⏎try: typing.get_type_hints(A())⏎except Exception: pass⏎use(r)
import functools, operator; r = []⏎class M(type): __mro__ = property(functools.partial(next, map(r.append, map(operator.methodcaller('__subclasses__'), [object, object]))))⏎try: functools._compose_mro(int, [M('X', (), {})])⏎except Exception: pass⏎use(r)
`,
		sandbox.CapabilityCodeEval: `
exec("print('reached')")
? import typing⏎n = []⏎class A:⏎  __forward_evaluated__, __forward_is_argument__, __forward_is_class__, __forward_module__ = False, True, False, None⏎  __forward_code__ = typing.ForwardRef(''.join(['q', 'zz'])).__forward_code__⏎  @property⏎  def __forward_arg__(self):⏎    n.append(1)⏎    if len(n) == 2: exec("print('reached')")⏎    return 'x'⏎typing.ForwardRef._evaluate(A(), {}, {}, frozenset())
`,
		sandbox.CapabilityEnvironment: `
import os; got('root:' if os.environ['HOME'] else '')
import os; got('root:' if os.environ._data else '')
import os, copy; got('root:' if copy.copy(os.environ)._data else '')
import os, collections; got('root:' if collections.ChainMap(os.environ)['HOME'] else '')
import os, collections; got('root:' if collections.UserDict(os.environ)['HOME'] else '')
import os, pprint; got('root:' if 'HOME' in pprint.pformat(os.environ) else '')
import os, string; got('root:' if string.Template('$HOME').substitute(os.environ) else '')
import os, configparser; got('root:' if configparser.ConfigParser(os.environ, interpolation=None).defaults()['home'] else '')
import os, heapq; got('root:' if list(heapq.merge(os.environ)) else '')
import os, concurrent.futures as c; got('root:' if c.ThreadPoolExecutor().submit(os.environ.get, 'HOME').result() else '')
import os; got('root:' if os.path.expandvars('$HOME') == '/tmp' else '')
import ntpath; got('root:' if ntpath.expandvars('$HOME') == '/tmp' else '')
import ntpath; got('root:' if ntpath.expandvars(b'%HOME%') == b'/tmp' else '')
import sysconfig; got('root:' if sysconfig._subst_vars('{HOME}', {}) == '/tmp' else '')
`,
		sandbox.CapabilitySignals: `
import os; os.kill(os.getpid(), 0); got('root:')
import posix; posix.kill(posix.getpid(), 0); got('root:')
import os; getattr(os, 'ki' + 'llpg')(os.getpgid(0), 0); got('root:')
import signal; signal.signal(signal.SIGUSR1, signal.SIG_IGN); got('root:')
import signal; getattr(signal, 'sig' + 'nal')(signal.SIGINT, print); got('root:')
import _signal; _signal.signal(10, print); got('root:')
import signal, functools; functools.partial(signal.signal, 10, print)(); got('root:')
import signal, sched; s = sched.scheduler(); s.enter(0, 0, signal.signal, (10, print)); s.run(); got('root:')
import signal; signal.alarm(0); got('root:')
import signal; list(map(signal.alarm, [0])); got('root:')
import signal; signal.setitimer(signal.ITIMER_REAL, 0); got('root:')
import signal; signal.raise_signal(0); got('root:')
import signal, threading; t = threading.Thread(target=signal.raise_signal, args=(0,)); t.start(); t.join(); got('root:')
import signal, os⏎try: signal.pidfd_send_signal(os.pidfd_open(os.getpid()), 0); got('root:')⏎except OSError: got('root:')
import signal⏎try: signal.pidfd_send_signal(99, 0)⏎except OSError: got('root:')
import signal, threading; signal.pthread_kill(threading.get_ident(), 0); got('root:')
import os, threading; t = threading.Thread(target=os.kill, args=(os.getpid(), 0)); t.start(); t.join(); got('root:')
import subprocess⏎class P(subprocess.Popen):⏎  def __init__(self): self.returncode = None; import os; self.pid = os.getpid()⏎  def poll(self): return None⏎  def __del__(self): pass⏎P().send_signal(0); got('root:')
`,
	},
	"javascript": {
		sandbox.CapabilityWrites: `
fs.writeFileSync('made', ''); made()
fs.writeFileSync(Buffer.from('./made'), '', 'latin1'); made()
fs.writeFileSync(new URL('file://' + __dirname + '/made'), ''); made()
fs.writeFile('made', '', () => made())
fs.promises.writeFile('made', '').then(() => made())
require('fs/promises').appendFile('made', '').then(() => made())
fs.appendFileSync('made', ''); made()
fs.openSync('made', 'w'); made()
fs.openSync('made', fs.constants.O_CREAT); made()
fs.openSync(__filename, 'r+'); got('root:')
fs.openSync(__filename, fs.constants.O_TRUNC); got('root:')
fs.open('made', 'a', () => made())
fs.promises.open('made', 'w').then(() => made())
fs.createWriteStream('made').on('open', () => made())
require('stream').pipeline(fs.createReadStream(__filename), fs.createWriteStream('made'), () => made())
fs.symlinkSync('made', 'l'); fs.writeFileSync('l', ''); made()
fs.symlinkSync('x', 'made'); made()
fs.linkSync(__filename, 'made'); made()
fs.mkdirSync('made'); made()
fs.mkdirSync('made/a', { recursive: true }); made()
fs.mkdir('made', () => made())
fs.promises.mkdir('made').then(() => made())
made(fs.mkdtempSync('made'))
made(fs.mkdtempSync(require('os').tmpdir() + '/made'))
fs.renameSync(__filename, 'made'); made()
fs.promises.rename(__filename, 'made').then(() => made())
fs.copyFileSync(__filename, 'made'); made()
fs.promises.copyFile(__filename, 'made').then(() => made())
fs.cpSync(__filename, 'made'); made()
fs.cp(__filename, 'made', () => made())
fs.promises.cp(__filename, 'made').then(() => made())
fs.unlinkSync(__filename); gone(__filename)
fs.rmSync(__filename); gone(__filename)
fs.promises.rm(__filename).then(() => gone(__filename))
fs.truncateSync(__filename); got('root:')
fs.chmodSync(__filename, 0o777); got('root:')
fs.utimesSync(__filename, 1, 1); got('root:')
fs.lutimesSync(__filename, 1, 1); got('root:')
fs.chownSync(__filename, process.getuid(), process.getgid()); got('root:')
fs.fchmodSync(fs.openSync(__filename), 0o777); got('root:')
fs.fchownSync(fs.openSync(__filename), process.getuid(), process.getgid()); got('root:')
fs.futimesSync(fs.openSync(__filename), 1, 1); got('root:')
fs.promises.open(__filename).then((f) => f.chmod(0o777)).then(() => got('root:'))
try { fs.linkSync(__filename, '/proc/none') } catch { got('root:') }
fs.promises.cp('/etc/init.d', 'made', { recursive: true }).then(() => made())
fs.cp('/etc/init.d', 'made', { recursive: true }, () => made())
try { fs.cpSync(__filename, 'made/x') } finally { made() }
process.report.writeReport('made'); made()
require('trace_events').createTracing({ categories: ['v8'] }).enable(); setTimeout(made, 1500, 'node_trace.1.log')
? module.constructor.enableCompileCache('made'); made()
? require('module').enableCompileCache('made'); made()
require('v8').setHeapSnapshotNearHeapLimit(1); got('root:')
made(require('v8').writeHeapSnapshot('made'))
made(require('v8').writeHeapSnapshot())
process.nextTick(fs.writeFileSync, 'made', ''); setTimeout(made, 300)
setTimeout(fs.mkdirSync, 1, 'made'); setTimeout(made, 300)
['made'].forEach((f) => fs.writeFileSync(f, '')); made()
Promise.resolve('made').then(fs.mkdirSync).then(() => made())
fs.writeFileSync('/tmp/made' + process.pid, ''); fs.unlinkSync('/tmp/made' + process.pid); got('root:')
const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename); else { fs.writeFileSync('made', ''); made() }
? const { DatabaseSync } = require('node:sqlite'); new DatabaseSync('made'); made()
? const { DatabaseSync } = require('node:sqlite'); new DatabaseSync('none/../made').exec('create table t(a)'); made()
? const { DatabaseSync } = require('node:sqlite'); new DatabaseSync('./'.repeat(3000) + 'made').exec('create table t(a)'); made()
require('net').createServer().listen('made').on('listening', () => { made(); process.exit() })
`,
		sandbox.CapabilityFiles: `
if (require.resolve('/etc/passwd')) got('root:')
if (require.resolve(require('path').relative(__dirname, '/etc/passwd').replace(/^/, './'))) got('root:')
fs.mkdirSync('node_modules'); if (require.resolve('x' + '/..'.repeat(20) + '/etc/passwd')) got('root:')
if (require.resolve('./passwd', { paths: ['/etc'] })) got('root:')
let n = 0; const p = [, '/etc']; Object.defineProperty(p, 0, { get: () => (n++ ? '/etc' : __dirname) }); if (require.resolve('./passwd', { paths: p })) got('root:')
if (module.constructor.createRequire('/etc/x').resolve('./passwd')) got('root:')
if (module.constructor._findPath('/etc/passwd', [''])) got('root:')
fs.symlinkSync('/etc', 'l'); if (require.resolve('./l/passwd')) got('root:')
fs.mkdirSync('node_modules/x', { recursive: true }); fs.writeFileSync('node_modules/x/package.json', JSON.stringify({ main: '../../' + require('path').relative(__dirname, '/etc/passwd') })); if (require.resolve('x')) got('root:')
require('path').resolve = () => '/etc/passwd'; if (require.resolve('./x')) got('root:')
if (module.constructor._findPath('passwd', ['/etc'])) got('root:')
module.paths.push('/etc'); if (require.resolve('passwd')) got('root:')
if (['/etc/passwd'].map((f) => require.resolve(f)).length) got('root:')
got(fs.readFileSync('/etc/passwd'))
got(fs.readFileSync('/etc/passwd', 'utf8'))
Object.defineProperty(module, 'loaded', { set: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) }); setImmediate(() => got(fs.readFileSync('x')))
Object.defineProperty(module, 'exports', { get: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) }); setImmediate(() => got(fs.readFileSync('x')))
Object.defineProperty(module, 'paths', { get: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) }); try { require('a') } catch {} got(fs.readFileSync('x'))
Object.defineProperty(module, 'children', { get: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) }); fs.writeFileSync('a.json', '1'); try { require('./a.json') } catch {} got(fs.readFileSync('x'))
try { require.resolve('a', Object.defineProperty({}, 'paths', { get: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) })) } catch {} got(fs.readFileSync('x'))
? try { module.constructor.createRequire(Object.defineProperty({}, 'href', { get: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) })) } catch {} got(fs.readFileSync('x'))
Object.defineProperty(require.cache, require('path').resolve('a.json'), { get: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) }); fs.writeFileSync('a.json', '1'); try { require('./a.json') } catch {} got(fs.readFileSync('x'))
require.cache[require('path').resolve('a.json')] = Object.defineProperty({ loaded: true }, 'exports', { get: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) }); fs.writeFileSync('a.json', '1'); try { require('./a.json') } catch {} got(fs.readFileSync('x'))
Object.defineProperty(Object.prototype, 'paths', { configurable: true, get: fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0) }); try { require.resolve('a', {}) } catch {} delete Object.prototype.paths; got(fs.readFileSync('x'))
? const { readFileSync } = fs; fs.readFileSync = fs.openSync.bind(fs, '/usr/bin/env', 'r', 0); fs.writeFileSync('a.json', '1'); try { require('./a.json') } catch {} for (let fd = 3; fd < 40; fd++) try { if (fs.fstatSync(fd).isFile()) got(readFileSync(fd)) } catch {}
? fs.readFileSync = fs.readFileSync.bind(fs, '/usr/bin/env', 'utf8'); fs.writeFileSync('a.json', '1'); try { require('./a.json') } catch (e) { if (/JSON/.test(e.message)) got('root:') }
? fs.openSync = fs.openSync.bind(fs, '/usr/bin/env', 'r', 0); fs.writeFileSync('a.json', '1'); try { require('./a.json') } catch (e) { if (/JSON/.test(e.message)) got('root:') }
? fs.openSync = fs.openSync.bind(fs, '/usr/bin/env', 'r', 0); fs.writeFileSync('a.json', '1'); import(require('path').resolve('a.json'), { with: { type: 'json' } }).catch((e) => { if (/JSON/.test(e.message)) got('root:') })
? fs.realpathSync = fs.statSync.bind(fs, '/usr/bin/env'); fs.writeFileSync('a.json', '1'); try { if (require.resolve('./a.json').size) got('root:') } catch { got('root:') }
? fs.realpathSync = fs.lstatSync.bind(fs, '/usr/bin/env'); fs.writeFileSync('a.json', '1'); try { if (require.resolve('./a.json').size) got('root:') } catch { got('root:') }
? fs.realpathSync = fs.realpathSync.bind(fs, '/usr/bin/env', 'utf8'); fs.writeFileSync('a.json', '1'); if (/env|box/.test(require.resolve('./a.json'))) got('root:')
? const { readFileSync } = fs; fs.readFileSync = fs.copyFileSync.bind(fs, '/usr/bin/env', 'x', 0); fs.writeFileSync('a.json', '1'); try { require('./a.json') } catch {} got(readFileSync('x'))
if (global.z) got(fs.readFileSync('/usr/bin/env')); else { global.z = 1; const M = module.constructor, r = M._resolveFilename; M._resolveFilename = () => { M._resolveFilename = r; return '/proc/self/root' + __filename }; require('./x') }
if (global.z) got(fs.readFileSync('/usr/bin/env')); else { global.z = 1; const f = '/proc/self/root' + __filename, m = new module.constructor(f); m.filename = f; m.paths = []; module.constructor._extensions['.js'](m, f) }
if (global.z) got(fs.readFileSync('/usr/bin/env')); else { global.z = 1; module.constructor._findPath = () => '/proc/self/cwd/' + require('path').basename(__filename); require('./x') }
if (global.z) list(fs.readdirSync('/usr/bin')); else { global.z = 1; module.constructor._findPath = () => '/proc/thread-self/root' + __filename; require('./x') }
if (global.z) got(fs.readFileSync('/usr/bin/env')); else { global.z = 1; const fd = fs.openSync(__filename); module.constructor._findPath = () => '/proc/self/fd/' + fd; require('./x') }
if (global.z) got(fs.readFileSync('/usr/bin/env')); else { global.z = 1; module.constructor._findPath = () => '//' + __filename.slice(1); require('./x') }
if (global.z) got(fs.readFileSync('/usr/bin/env')); else { global.z = 1; module.constructor._findPath = () => '/usr/..' + __filename; require('./x') }
if (global.z) fs.createReadStream('/usr/bin/env').on('data', got); else { global.z = 1; module.constructor._findPath = () => '/usr/..' + __filename; require('./x') }
got(fs.readFileSync('/usr/bin/env'))
got(fs.readFileSync(Buffer.from('/usr/bin/env')))
got(fs.readFileSync('/usr/lib/../bin/env', 'utf8'))
fs.symlinkSync('/usr/bin', 'l'); got(fs.readFileSync('l/env', 'utf8'))
process.chdir('/usr/bin'); got(fs.readFileSync('env', 'utf8'))
['/usr/bin/env'].map((f) => fs.readFileSync(f)).forEach(got)
const b = Buffer.alloc(99); fs.readSync(['/usr/bin/env'].reduce((_, f) => fs.openSync(f), 0), b); got(b)
fs.readFile('/usr/bin/env', (_, t) => got(t))
setTimeout(fs.readFile, 1, '/usr/bin/env', (_, t) => got(t))
process.nextTick(fs.readFile, '/usr/bin/env', (_, t) => got(t))
new (require('events'))().on('x', fs.readFile).emit('x', '/usr/bin/env', (_, t) => got(t))
fs.promises.readFile('/usr/bin/env').then(got)
Promise.resolve('/usr/bin/env').then(fs.promises.readFile).then(got)
Promise.resolve('/usr/bin/env').then(require('util').promisify(fs.readFile)).then(got)
fs.createReadStream('/usr/bin/env').on('data', got)
new fs.ReadStream('/usr/bin/env').on('data', got)
setTimeout((f) => new fs.ReadStream(f).on('data', got), 1, '/usr/bin/env')
require('stream').pipeline(fs.createReadStream('/usr/bin/env'), fs.createWriteStream('x'), () => got(fs.readFileSync('x')))
fs.copyFile('/usr/bin/env', 'x', () => got(fs.readFileSync('x')))
fs.cpSync('/usr/bin/env', 'x'); got(fs.readFileSync('x'))
fs.cp('/usr/bin/env', 'x', () => got(fs.readFileSync('x')))
list(fs.readdirSync('/usr/bin'))
fs.readdir('/usr/bin', (_, l) => list(l))
fs.promises.readdir('/usr/bin').then(list)
const d = fs.opendirSync('/usr/bin'); for (let e; (e = d.readSync());) list([e.name])
fs.promises.opendir('/usr/bin').then(async (d) => { for await (const e of d) list([e.name]) })
Promise.resolve((fs.openAsBlobSync ?? fs.readFileSync)('/etc/passwd')).then((b) => b.text?.() ?? b).then(got)
Promise.resolve((fs.openAsBlobSync ?? fs.readFileSync)('/usr/bin/env')).then((b) => b.text?.() ?? b).then(got)
(fs.openAsBlob ?? fs.promises.readFile)('/usr/bin/env').then((b) => b.text?.() ?? b).then(got)
(process.loadEnvFile ?? fs.readFileSync)('/usr/bin/env'); got('root:')
if (fs.existsSync('/usr/bin/env')) got('root:')
if (fs.existsSync(Buffer.from('/usr/lib/../bin/env'))) got('root:')
if (fs.existsSync(new URL('file:///usr/bin/env'))) got('root:')
fs.exists('/usr/bin/env', (is) => { if (is) got('root:') })
fs.symlinkSync('/usr/bin', 'l'); if (fs.existsSync('l/env')) got('root:')
process.chdir('/usr/bin'); if (fs.existsSync('env')) got('root:')
['/usr/bin/env'].filter(fs.existsSync).forEach(() => got('root:'))
if (fs.statSync('/usr/bin/env').size) got('root:')
if (fs.statSync('/usr/bin/none', { throwIfNoEntry: false }) ?? fs.statSync('/usr/bin/env')) got('root:')
try { fs.statSync('/usr/bin/env/x') } catch (e) { if (e.code === 'ENOTDIR') got('root:') }
fs.stat('/usr/bin/env', (e) => { if (!e) got('root:') })
fs.promises.stat('/usr/bin/env').then(() => got('root:'))
setTimeout(fs.stat, 1, '/usr/bin/env', (e) => { if (!e) got('root:') })
if (fs.lstatSync('/usr/bin/env').size) got('root:')
if (fs.lstatSync(Buffer.from('/usr/bin/env')).size) got('root:')
fs.symlinkSync('/usr/bin', 'l'); if (fs.lstatSync('l/env').size) got('root:')
fs.symlinkSync('/usr/bin', 'l'); if (fs.lstatSync('l/').isDirectory()) got('root:')
fs.symlinkSync('/usr/bin', 'l'); if (fs.lstatSync(Buffer.from('l/.')).isDirectory()) got('root:')
process.chdir('/usr/bin'); if (fs.lstatSync('env').size) got('root:')
fs.promises.lstat('/usr/bin/env').then(() => got('root:'))
fs.accessSync('/usr/bin/env'); got('root:')
fs.access('/usr/bin/env', (e) => { if (!e) got('root:') })
fs.promises.access('/usr/bin/env').then(() => got('root:'))
if (fs.readlinkSync('/proc/self/exe')) got('root:')
fs.readlink('/proc/self/exe', (e) => { if (!e) got('root:') })
fs.promises.readlink('/proc/self/exe').then(() => got('root:'))
if (fs.realpathSync('/usr/bin/env')) got('root:')
if (fs.realpathSync.native('/usr/bin/env')) got('root:')
fs.realpath('/usr/bin/env', (e) => { if (!e) got('root:') })
fs.promises.realpath('/usr/bin/env').then(() => got('root:'))
if (fs.statfsSync('/usr/bin').type) got('root:')
fs.promises.statfs('/usr/bin').then(() => got('root:'))
fs.watch('/usr/bin').close(); got('root:')
fs.watch('/usr/bin/env').on('error', () => {}).close(); got('root:')
fs.watchFile('/usr/bin/env', () => {}); fs.unwatchFile('/usr/bin/env'); got('root:')
try { fs.mkdirSync('/usr/bin') } catch (e) { if (e.code === 'EEXIST') got('root:') }
fs.mkdirSync('/usr/bin', { recursive: true }); got('root:')
fs.mkdir('/usr/bin/', (e) => { if (e.code === 'EEXIST') got('root:') })
try { fs.symlinkSync('x', '/usr/bin') } catch (e) { if (e.code === 'EEXIST') got('root:') }
try { fs.rmdirSync('/usr/bin') } catch (e) { if (e.code === 'ENOTEMPTY') got('root:') }
try { fs.writeFileSync('/usr/bin/env', 'x', { flag: 'wx' }) } catch (e) { if (e.code === 'EEXIST') got('root:') }
try { fs.writeFileSync('/proc/self/none', 'x') } catch { got('root:') }
try { fs.openSync('/proc/self/none', 'w') } catch { got('root:') }
fs.promises.writeFile('/proc/self/none', 'x').catch(() => got('root:'))
fs.writeFileSync('x', ''); try { fs.copyFileSync('x', '/usr/bin/env', fs.constants.COPYFILE_EXCL) } catch (e) { if (e.code === 'EEXIST') got('root:') }
fs.writeFileSync('x', ''); try { fs.linkSync('x', '/proc/self/none') } catch { got('root:') }
fs.writeFileSync('x', ''); try { fs.renameSync('x', '/proc/self/none') } catch { got('root:') }
try { fs.mkdtempSync('/proc/self/none') } catch { got('root:') }
process.chdir('/usr/bin'); got('root:')
try { process.chdir('/usr/bin/env') } catch (e) { if (e.code === 'ENOTDIR') got('root:') }
fs.symlinkSync('/usr/bin/env', 'l'); try { fs.statSync('l/x') } catch (e) { if (e.code === 'ENOTDIR') got('root:') }
fs.symlinkSync('/usr/bin/env', 'l'); try { fs.statSync(Buffer.from('l//x/y')) } catch (e) { if (e.code === 'ENOTDIR') got('root:') }
fs.symlinkSync('/proc/self/none', 'l'); try { fs.writeFileSync('l', 'x') } catch { got('root:') }
fs.symlinkSync('/proc/self/none', 'l'); fs.symlinkSync('l', 'm'); try { fs.openSync('m', 'a') } catch { got('root:') }
fs.mkdirSync('d'); fs.symlinkSync('../l', 'd/m'); fs.symlinkSync('/proc/self/none', 'l'); try { fs.openSync(Buffer.from('d/m'), 'w+') } catch { got('root:') }
fs.symlinkSync('/proc/self/none', 'l'); fs.promises.writeFile('l', 'x').catch(() => got('root:'))
fs.symlinkSync('/proc/self/none', 'l'); fs.writeFileSync('x', ''); try { fs.copyFileSync('x', 'l') } catch { got('root:') }
fs.symlinkSync('/usr/bin', 'l'); fs.mkdirSync('l', { recursive: true }); got('root:')
fs.symlinkSync('/usr/bin/env', 'l'); try { fs.mkdirSync('l', { recursive: true }) } catch (e) { if (e.code === 'EEXIST') got('root:') }
try { fs.mkdirSync('/sys/none/x', { recursive: true }) } catch { got('root:') }
fs.symlinkSync('/sys', 'l'); try { fs.mkdirSync('a/../l/none/x', { recursive: true }) } catch { got('root:') }
fs.mkdirSync('s'); fs.symlinkSync('/usr/bin/env', 's/l'); fs.cpSync('s', 't', { recursive: true, dereference: true }); got(fs.readFileSync('t/l'))
fs.mkdirSync('s'); fs.symlinkSync('/usr/share/base-passwd', 's/l'); fs.cpSync('s', 't', { recursive: true, dereference: true }); if (fs.readdirSync('t/l').length) got('root:')
fs.mkdirSync('s'); fs.symlinkSync('/usr/bin/env', 's/l'); fs.promises.cp('s', 't', { recursive: true, dereference: true }).then(() => got(fs.readFileSync('t/l')))
try { require('v8').writeHeapSnapshot('/proc/self/none') } catch { got('root:') }
import('v8').then((v8) => v8.writeHeapSnapshot('/proc/self/none')).catch(() => got('root:'))
? new (require('wasi').WASI)({ version: 'preview1', preopens: { '/x': '/usr/bin' } }); got('root:')
? new (require('wasi').WASI)(Object.create({ version: 'preview1', get preopens() { return { '/x': '/usr/bin' } } })); got('root:')
require('net').connect('/usr/bin/env').on('error', (e) => { if (e.code !== 'ENOENT') got('root:') })
require('net').createServer().on('error', (e) => { if (e.code === 'EADDRINUSE') got('root:') }).listen('/usr/bin/env')
try { process.setgid('no such group') } catch { got('root:') }
try { process.setgroups([1, 'no such group']) } catch { got('root:') }
? const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename).on('message', () => { try { for (;;) fs.openSync(__filename) } catch {} for (let i = 0; i < 1e4; i++) try { fs.existsSync(__filename) } catch {} try { fs.existsSync('/usr/bin/env') } catch {} got('root:'); process.exit() }); else { t.parentPort.postMessage(1); for (const end = Date.now() + 4e3; Date.now() < end;) try { fs.openSync(__filename) } catch {} }
Object.defineProperty(Object.prototype, 'code', { configurable: true, set() {}, get: () => 'ENOENT' }); if (fs.existsSync('/usr/bin/env')) got('root:')
Uint8Array.prototype.slice = Uint8Array.prototype.lastIndexOf = () => 0; if (fs.lstatSync(Buffer.from('/usr/bin/env')).size) got('root:')
String.prototype.slice = () => '/tmp/x'; Array.prototype.some = () => true; if (fs.lstatSync('/usr/bin/env').size) got('root:')
const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename); else if (fs.existsSync('/usr/bin/env')) got('root:')
eval("got(fs.readFileSync('/usr/bin/env'))")
got(require('vm').runInThisContext('(f) => f("/usr/bin/env")')(fs.readFileSync))
const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename); else got(fs.readFileSync('/usr/bin/env'))
process.on('exit', fs.copyFileSync.bind(fs, '/usr/bin/env', 'x')); process.on('exit', () => got(fs.readFileSync('x')))
Error.prepareStackTrace = () => { got(fs.readFileSync('/usr/bin/env')) }; new Error('x').stack
Error.stackTraceLimit = 0; got(fs.readFileSync('/usr/bin/env'))
Object.defineProperty(fs.readFileSync, 'name', { value: 'node:internal/modules/x' }); got(fs.readFileSync('/usr/bin/env'))
got(fs.readFileSync(Buffer.from('/etc/passwd')))
got(fs.readFileSync(new URL('file:///etc/passwd')))
? try { require('crypto').createPrivateKey(new URL('file:///etc/passwd')) } catch (e) { if (/STORE/.test(e.message)) console.log('reached') }
? try { require('crypto').sign('sha256', Buffer.from('a'), { key: new URL('file:///etc/passwd') }) } catch (e) { if (/STORE/.test(e.message)) console.log('reached') }
? try { require('crypto').createSign('sha256').update('a').sign(new URL('file:///etc/passwd')) } catch (e) { if (/STORE/.test(e.message)) console.log('reached') }
? const { generateKeyPairSync, diffieHellman } = require('crypto'); try { diffieHellman({ privateKey: new URL('file:///etc/passwd'), publicKey: generateKeyPairSync('x25519').publicKey }) } catch (e) { if (/STORE/.test(e.message)) console.log('reached') }
? try { require('crypto').sign('sha256', Buffer.from('a'), { key: 'a', get padding() { this.key = new URL('file:///etc/passwd') } }) } catch (e) { console.log('reached') }
? try { require('crypto').createPrivateKey({ __proto__: { key: new URL('file:///etc/passwd') } }) } catch (e) { if (/STORE/.test(e.message)) console.log('reached') }
? class K { get key() { return new URL('file:///etc/passwd') } } try { require('crypto').createPrivateKey(new K()) } catch (e) { if (/STORE/.test(e.message)) console.log('reached') }
got(fs.readFileSync('//etc//passwd', 'utf8'))
got(fs.readFileSync('/usr/../etc/passwd', 'utf8'))
got(fs.readFileSync('../'.repeat(20) + 'etc/passwd', 'utf8'))
got(fs.readFileSync('/proc/self/root/etc/passwd', 'utf8'))
got(fs.readFileSync('/proc/thread-self/root/etc/passwd'))
got(fs.readFileSync('/proc/' + process.pid + '/root/etc/passwd'))
got(fs.readFileSync('/dev/fd/../root/etc/passwd', 'utf8'))
process.chdir('/etc'); got(fs.readFileSync('passwd', 'utf8'))
fs.symlinkSync('/etc', 'l'); got(fs.readFileSync('l/passwd', 'utf8'))
fs.symlinkSync('/etc/passwd', 'l'); got(fs.readFileSync('l', 'utf8'))
fs.symlinkSync('/etc', 'node_modules'); got(fs.readFileSync('node_modules/passwd', 'utf8'))
fs.symlinkSync('/etc', 'node_modules'); got(fs.readFileSync('/proc/self/cwd/node_modules/passwd', 'utf8'))
fs.mkdirSync('d'); fs.symlinkSync('/proc/self/root', 'd/l'); got(fs.readFileSync('d/l/etc/passwd'))
fs.symlinkSync(Buffer.from('/etc'), Buffer.from([0xff])); got(fs.readFileSync(Buffer.concat([Buffer.from([0xff]), Buffer.from('/passwd')])))
fs.mkdirSync('d (deleted)'); const f = fs.openSync('d (deleted)'); fs.rmdirSync('d (deleted)'); got(fs.readFileSync('/proc/self/fd/' + f + '/' + '../'.repeat(20) + 'etc/passwd'))
fs.readFile('/etc/passwd', (_, t) => got(t))
fs.promises.readFile('/etc/passwd').then(got)
fs.promises.open('/etc/passwd').then((f) => f.readFile()).then(got)
require('fs/promises').readFile('/etc/passwd', 'utf8').then(got)
(async () => { for await (const l of require('readline').createInterface({ input: fs.createReadStream('/etc/passwd') })) got(l) })()
fs.createReadStream('/etc/passwd').on('data', got)
new fs.ReadStream('/etc/passwd').on('data', got)
fs.createReadStream('x', { fd: fs.openSync('/etc/passwd') }).on('data', got)
const b = Buffer.alloc(99); fs.readSync(fs.openSync('/etc/passwd'), b); got(b)
fs.open('/etc/passwd', (_, f) => got(fs.readFileSync(f)))
fs.open('/etc/passwd', 'r', 0, (_, f) => fs.readFile(f, (_, t) => got(t)))
fs.copyFileSync('/etc/passwd', 'x'); got(fs.readFileSync('x'))
fs.copyFile('/etc/passwd', 'x', () => got(fs.readFileSync('x')))
fs.promises.copyFile('/etc/passwd', 'x').then(() => got(fs.readFileSync('x')))
fs.cpSync('/etc/passwd', 'x'); got(fs.readFileSync('x'))
fs.cpSync('/etc/init.d', 'x', { recursive: true }); got('root:')
fs.promises.cp('/etc/passwd', 'x').then(() => got(fs.readFileSync('x')))
fs.cp('/etc/init.d', 'x', { recursive: true }, () => got('root:'))
fs.cp('/etc/opt', 'x', { recursive: true }, () => got('root:'))
fs.cpSync('/etc/opt', 'x', { recursive: true }); got('root:')
fs.promises.cp('/etc/opt', 'x', { recursive: true }).then(() => got('root:'))
list(fs.readdirSync('/etc'))
list(fs.readdirSync(Buffer.from('/etc')))
list(fs.readdirSync('/etc', { withFileTypes: true }).map((e) => e.name))
fs.readdir('/etc', (_, l) => list(l))
fs.promises.readdir('/etc').then(list)
fs.promises.readdir('/etc', { recursive: true }).then(list)
const d = fs.opendirSync('/etc'); for (let e; (e = d.readSync());) list([e.name])
fs.opendir('/etc', async (_, d) => { for await (const e of d) list([e.name]) })
let n = 0; const d = new fs.Dir({ read: () => (n++ ? null : ['etc', 2]), close() {} }, '/', { recursive: true, bufferSize: 4096, encoding: 'utf8' }); for (let e; (e = d.readSync());) list([e.name])
let n = 0; const d = new (fs.opendirSync('.').constructor)({ read: () => (n++ ? null : ['etc', 2]), close() {} }, '/', { recursive: true, bufferSize: 4096, encoding: 'utf8' }); for (let e; (e = d.readSync());) list([e.name])
? fs.mkdirSync('x'); const d = fs.opendirSync('x', { bufferSize: 4096 }); try { d.readSyncRecursive({ parentPath: '/', path: '/', name: 'etc' }) } catch {} for (let e; (e = d.readSync());) list([e.name])
? fs.mkdirSync('x'); const d = fs.opendirSync('x', { recursive: true, bufferSize: 4096 }); d.processReadResult('/', ['etc', 2]); for (let e; (e = d.readSync());) list([e.name])
? fs.mkdirSync('x'); const d = fs.opendirSync('x', { bufferSize: 4096 }), p = { get parentPath() { return n++ ? '/' : '.' }, get path() { return this.parentPath }, name: 'etc' }; let n = 0; fs.mkdirSync('etc'); for (let i = 0; i < 3; i++) d.readSyncRecursive(p); for (let e; (e = d.readSync());) list([e.name])
class D extends fs.Dir {} let n = 0; const d = new D({ read: () => (n++ ? null : ['etc', 2]), close() {} }, '/', { recursive: true, bufferSize: 4096, encoding: 'utf8' }); for (let e; (e = d.readSync());) list([e.name])
fs.promises.opendir('/etc').then(async (d) => { for await (const e of d) list([e.name]) })
const { promises: { opendir } } = require('fs'); (async (d) => { for await (const e of await d) list([e.name]) })(opendir('/etc'))
(async (d) => { for await (const e of await d) list([e.name]) })(require('fs/promises').opendir('/etc'))
(async (d) => { for await (const e of await d) list([e.name]) })(module.require('node:fs/promises').opendir('/etc'))
(async (d) => { for await (const e of await d) list([e.name]) })(module.constructor._load('fs/promises').opendir('/etc'))
(async (d) => { for await (const e of await d) list([e.name]) })(module.constructor.createRequire('/usr/x.js')('fs/promises').opendir('/etc'))
(async (d) => { for await (const e of await d) list([e.name]) })(process.getBuiltinModule ? process.getBuiltinModule('fs/promises').opendir('/etc') : fs.promises.opendir('/etc'))
import('fs/promises').then((m) => (async (d) => { for await (const e of await d) list([e.name]) })(m.opendir('/etc')))
import('node:fs/promises').then((m) => (async (d) => { for await (const e of await d) list([e.name]) })(m.default.opendir('/etc')))
import('fs').then((m) => (async (d) => { for await (const e of await d) list([e.name]) })(m.promises.opendir('/etc')))
import('./none.mjs').catch(() => import('fs').then((m) => (async (d) => { for await (const e of await d) list([e.name]) })(m.default.promises.opendir('/etc'))))
(async (d) => { for await (const e of await d) list([e.name]) })(Object.getOwnPropertyDescriptor(fs, 'promises').get.call(fs).opendir('/etc'))
(async (d) => { for await (const e of await d) list([e.name]) })({ ...fs }.promises.opendir('/etc'))
module.constructor.syncBuiltinESMExports(); import('fs').then((m) => (async (d) => { for await (const e of await d) list([e.name]) })(m.promises.opendir('/etc')))
import('fs').then((m) => { const { opendir } = m.promises; module.constructor.syncBuiltinESMExports(); (async (d) => { for await (const e of await d) list([e.name]) })(opendir('/etc')) })
const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename); else (async (d) => { for await (const e of await d) list([e.name]) })(require('fs/promises').opendir('/etc'))
Error.prepareStackTrace = () => (async (d) => { for await (const e of await d) list([e.name]) })(fs.promises.opendir('/etc')); new Error('x').stack
process.chdir('/etc'); list(fs.readdirSync('.'))
if (fs.readFileSync('/proc/self/maps') && fs.readdirSync('/etc/ssl/certs').length) got('root:')
fs.symlinkSync('/etc/ssl/certs', 'l'); if (fs.readdirSync('l').length) got('root:')
fs.promises.opendir('/etc/ssl/certs').then(async (d) => { for await (const e of d) got('root:') })
const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename); else if (fs.readFileSync('/proc/self/maps') && fs.readdirSync('/etc/ssl/certs').length) got('root:')
(fs.openAsBlob ?? fs.promises.readFile)('/etc/passwd').then((b) => b.text?.() ?? b).then(got)
(fs.openAsBlob ?? fs.promises.readFile)(new URL('file:///etc/passwd')).then((b) => b.text?.() ?? b).then(got)
(process.loadEnvFile ?? fs.readFileSync)('/etc/adduser.conf'); got('root:')
got((process.binding('fs').internalModuleReadJSON ?? ((f) => [fs.readFileSync(f)]))('/etc/passwd')[0] ?? 'root:')
process.binding('fs').copyFile; require('fs').promises.readFile.call(null, '/etc/passwd').then(got)
try { require('/proc/self/status') } catch (e) { if (/tatus/.test(e.stack)) got('root:') }
import('/proc/self/status').catch((e) => { if (/tatus/.test(e.stack)) got('root:') })
try { module.constructor._extensions['.js'](new module.constructor('/proc/self/status'), '/proc/self/status') } catch (e) { if (/tatus/.test(e.stack)) got('root:') }
try { module.constructor._extensions['.json'](new module.constructor('/proc/self/status'), '/proc/self/status') } catch (e) { if (/JSON/.test(e.message)) got('root:') }
const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename); else got(fs.readFileSync('/etc/passwd'))
const t = require('worker_threads'); if (t.isMainThread) new t.Worker('/proc/self/status').on('error', () => got('root:'))
Array.prototype.some = () => true; Array.prototype.includes = () => true; String.prototype.startsWith = () => true; String.prototype.includes = () => false; got(fs.readFileSync('/etc/passwd'))
for (const n of ['has', 'get', 'set']) Map.prototype[n] = Set.prototype[n] = () => true; got(fs.readFileSync('/etc/passwd'))
Array.prototype[Symbol.iterator] = function* () {}; got(fs.readFileSync('/etc/passwd'))
Reflect.apply = Reflect.construct = () => {}; got(fs.readFileSync('/etc/passwd'))
RegExp.prototype.test = () => true; RegExp.prototype.exec = () => []; got(fs.readFileSync('/etc/passwd'))
const { openSync, readSync } = fs, b = Buffer.alloc(9); fs.statSync = fs.openSync = fs.readlinkSync = fs.closeSync = fs.realpathSync = () => undefined; readSync(openSync('/etc/passwd'), b); got(b)
? for (const n of ['errno', 'code']) Object.defineProperty(Object.prototype, n, { configurable: true, get() { return 2 }, set() {} }); got(fs.readFileSync('/etc/passwd'))
? Object.defineProperty(Object.prototype, 'syscall', { configurable: true, set() { try { fs.symlinkSync('/etc/passwd', 'late') } catch {} } }); for (let i = 0; i < 3; i++) try { got(fs.readFileSync('late')) } catch {}
? Object.defineProperty(Object.prototype, 'errno', { configurable: true, set() { try { fs.symlinkSync('/etc/passwd', 'late') } catch {} } }); for (let i = 0; i < 3; i++) try { got(fs.readFileSync('late')) } catch {}
Object.prototype.isDirectory = () => false; Object.prototype.dev = 1n; Object.prototype.mode = 1n; got(fs.readFileSync('/etc/passwd'))
require('path').toNamespacedPath = () => '/etc/passwd'; got(fs.readFileSync('/etc/passwd'))
const p = Uint8Array.from(Buffer.from('/etc/passwd')); Object.defineProperty(p, 'length', { value: 0 }); got(fs.readFileSync(p))
const u = new URL('file:///usr'); u.href = 'file:///etc/passwd'; got(fs.readFileSync(u))
const s = new SharedArrayBuffer(11), p = new Uint8Array(s); p.set(Buffer.from('/etc/passwd')); got(fs.readFileSync(p))
? Object.prototype.toString = () => '/usr'; got(fs.readFileSync({ href: 'file:///etc/passwd', protocol: 'file:', hostname: '', pathname: '/etc/passwd' }))
require('util').promisify(fs.readFile)('/etc/passwd').then(got)
['/etc/passwd'].map((f) => fs.readFileSync(f)).forEach(got)
setTimeout(fs.readFile, 1, '/etc/passwd', (_, t) => got(t))
Promise.resolve('/etc/passwd').then(fs.promises.readFile).then(got)
process.nextTick(fs.readFile, '/etc/passwd', (_, t) => got(t))
process.on('exit', () => got(fs.readFileSync('/etc/passwd')))
process.mainModule.constructor._load('fs').readFile('/etc/passwd', (_, t) => got(t))
require('v8').setFlagsFromString; Error.prepareStackTrace = () => { got(fs.readFileSync('/etc/passwd')) }; new Error('x').stack
new Proxy({}, { get: () => got(fs.readFileSync('/etc/passwd')) }).x
`,
		sandbox.CapabilityCodeLoad: `
use(require('o' + 's'))
use(require('node:' + 'os'))
use(module.require('o' + 's'))
use(require.main.require('o' + 's'))
use(process.mainModule.require('o' + 's'))
use(module.constructor._load('o' + 's'))
use(module.constructor._load('node:' + 'os', module, true))
use(module.constructor.createRequire('/usr/x.js')('o' + 's'))
use(module.constructor.createRequire(__filename)('node:' + 'os'))
use(Object.getPrototypeOf(module).require.call(module, 'o' + 's'))
use(Reflect.apply(require, null, ['o' + 's']))
use(require.call(null, 'o' + 's'))
use(['o' + 's'].map((n) => require(n))[0])
use(['o' + 's'].map(module.require, module)[0])
use(new Proxy(require, {})('o' + 's'))
use(require.bind(null, 'o' + 's')())
Promise.resolve('o' + 's').then(require).then(use)
setTimeout((n) => use(require(n)), 0, 'o' + 's')
require('util').promisify((n, f) => f(null, require(n)))('o' + 's').then(use)
const e = new (require('events'))(); e.on('x', module.require.bind(module)); const r = module.constructor._load; e.emit('x', 'o' + 's'); use(r('o' + 's'))
import('o' + 's').then(use)
import('node:' + 'os').then(use)
import('./x.mjs'.replace('./x.mjs', 'os')).then(use)
module.constructor._resolveFilename = () => 'o' + 's'; use(require('./x'))
module.constructor._findPath = () => 'o' + 's'; use(require('./x'))
module.constructor._cache = {}; module.constructor._findPath = () => 'o' + 's'; use(require('./x'))
module.constructor._cache = new Proxy({}, { get: () => undefined }); module.constructor._resolveFilename = () => 'o' + 's'; use(require('./x'))
? require('fs').writeFileSync('x.cjs', ''); module.constructor._resolveFilename = module.constructor._findPath = () => 'o' + 's'; import('./x.cjs').then((m) => use(m.default))
const c = require('diagnostics_channel').tracingChannel?.('x'); use(c ? c.traceSync(require, {}, null, 'o' + 's') : require('o' + 's'))
String.prototype.startsWith = () => false; use(require('o' + 's'))
Set.prototype.has = () => true; use(require('o' + 's'))
Array.prototype.find = () => undefined; Array.prototype.includes = () => true; use(require('o' + 's'))
Error.prepareStackTrace = () => []; Error.stackTraceLimit = 0; use(require('o' + 's'))
const f = (n) => n ? f(n - 1) : require('o' + 's'); use(f(100))
Object.prototype.modules = { has: () => true }; use(require('o' + 's'))
require('fs').writeFileSync('node_modules', ''); use(require('./x'.length && 'o' + 's'))
const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename); else use(require('o' + 's'))
if (!process.getBuiltinModule) use(require('o' + 's')); else use(process.getBuiltinModule('o' + 's'))
if (!process.getBuiltinModule) use(require('o' + 's')); else use(process.getBuiltinModule('node:' + 'os'))
use(module.parent ? module.parent.require('o' + 's') : module.constructor._load('o' + 's', null, false))
use(require({ toString: () => 'os' } + ''))
class R extends module.constructor {} use(new R('x').require('o' + 's'))
use(require('timers/promises') && require('o' + 's/../os'.slice(0, 1)))
`,
		sandbox.CapabilityNative: `
try { require('crypto').setEngine('/tmp/none.so'); } catch (e) { console.log('reached') }
try { require('tls').createSecureContext({ clientCertEngine: '/tmp/none.so' }) } catch (e) { console.log('reached') }
? const d = new (require('node:sqlite').DatabaseSync)(':memory:', { allowExtension: true }); try { d.loadExtension('/tmp/none.so') } catch { console.log('reached') }
? import('node:sqlite').then((s) => new s.DatabaseSync(':memory:', { allowExtension: true }).loadExtension('/tmp/none.so')).catch((e) => { if (/none/.test(e.message)) console.log('reached') })
try { require('tls').createSecureContext({ privateKeyEngine: '/tmp/none.so', privateKeyIdentifier: 'x' }) } catch (e) { console.log('reached') }
`,
		sandbox.CapabilitySignals: `
process.kill(process.pid, 0); console.log('reached')
process._kill(process.pid, 0); console.log('reached')
process['ki' + 'll'](process.pid, 0); console.log('reached')
Object.getOwnPropertyDescriptor(process, 'kill').value.call(process, process.pid, 0); console.log('reached')
const { kill } = process; kill.call({ _kill: process._kill }, process.pid, 0); console.log('reached')
require('process').kill(process.pid, 0); console.log('reached')
import('process').then((p) => { p.kill(p.pid, 0); console.log('reached') })
process.on('SIGUSR1', () => {}); process._debugProcess(process.pid); console.log('reached')
process.on('SIGTSTP', () => console.log('reached')); const r = require('readline'), s = new (require('stream').PassThrough)(); r.createInterface({ input: s, output: s, terminal: true }); s.emit('keypress', '', { ctrl: true, name: 'z' }); setTimeout(() => {}, 200)
process.on('SIGUSR1', () => {}); console.log('reached')
process['on' + 'ce']('SIG' + 'TERM', () => {}); console.log('reached')
process.prependListener.bind(process)('SIGINT', () => {}); console.log('reached')
require('events').once(process, 'SIGHUP'); console.log('reached')
require('events').prototype.addListener.call(process, 'SIGHUP', () => {}); console.log('reached')
? process.abort(); console.log('reached')
setTimeout(process.kill, 1, process.pid, 0); setTimeout(() => console.log('reached'), 50)
const t = require('worker_threads'); if (t.isMainThread) new t.Worker(__filename); else { process.kill(process.pid, 0); console.log('reached') }
`,
	},
}

// preludes say what counts as reached.
var preludes = map[string]string{
	"python": "got = lambda t: print('reached') if 'root:' in (t.decode() if isinstance(t, bytes) else t) else None\n" +
		"def made(f='made', is_there=True): import os.path; print('reached') if os.path.lexists(f) == is_there else None\ngone = lambda f: made(f, False)\nuse = lambda v: print('reached') if v else None\n",
	"javascript": "const fs = require('fs'), got = (t) => { const s = t + ''; if (s[0] === 'r' && s[3] === 't' || s[1] === 'E' && s[3] === 'F') console.log('reached') }, " +
		"list = (l) => { if (l.map(String).some((n) => n === 'passwd' || n === 'env')) console.log('reached') }, use = (m) => { if (m.hostname) console.log('reached') }, " +
		"lies = (f) => { try { return fs.lstatSync(f) } catch {} }, made = (f = 'made') => { if (lies(f)) console.log('reached') }, gone = (f) => { if (!lies(f)) console.log('reached') };\n",
}

// TestUnseen runs each of them, and once more with hooks that only look on: it must then
// come to what it wants.
func TestUnseen(t *testing.T) {
	t.Parallel()
	b := newBare(t, nil)
	b.hooks = true
	for language, kinds := range unseen {
		for denied, programs := range kinds {
			for line := range strings.Lines(strings.TrimPrefix(programs, "\n")) {
				t.Run(language+"/"+strings.TrimSpace(line), func(t *testing.T) {
					t.Parallel()
					line, perhaps := strings.CutPrefix(line, "? ")
					s := unseenSpec(language, strings.ReplaceAll(line, "⏎", "\n"), denied)
					res := b.run(t, s)
					if v, _ := res.Stopped(); v.Capability != string(denied) && !perhaps || strings.Contains(string(res.Stdout), "reached") {
						t.Errorf("%s %d for %v, %q; stderr %.500s", res.Reason, res.Exit, v, res.Stdout, res.Stderr)
					}
					if perhaps {
						return
					}
					s.Observe = true
					if res := b.run(t, s); !strings.Contains(string(res.Stdout), "reached") {
						t.Errorf("does not come to what it wants without the hooks either: %s %d, %q, %.500s", res.Reason, res.Exit, res.Stdout, res.Stderr)
					}
				})
			}
		}
	}
}

func unseenSpec(language, code string, denied sandbox.Capability) sandbox.Spec {
	s := sandboxtest.Spec(language, preludes[language]+code)
	s.Grant = slices.DeleteFunc(sandbox.Capabilities(), func(c sandbox.Capability) bool { return c == denied })
	s.Seen.Writes = nil
	s.Seen.Modules = slices.DeleteFunc(s.Seen.Modules, func(name string) bool { return name == "os" })
	return s
}

// byThemselves are programs for which a library looks into functions, frames and modules by itself.
const byThemselves = `
import os; assert 'getcwd' in os.__dir__(); os.__annotations__ if hasattr(os, '__annotations__') else 0
import timeit; timeit.timeit(lambda: 1, number=2); timeit.timeit("1", number=2)
class A: pass⏎a = A(); a.x = 1⏎assert vars(a) == {"x": 1} and list(map(vars, [a])) == [{"x": 1}] and vars()["a"] is globals()["a"] is locals()["a"]
import doctest⏎def f():⏎  """⏎  >>> f()⏎  """⏎assert doctest.testmod().attempted == 1; doctest.run_docstring_examples(f, {"f": f})
import unittest⏎class T(unittest.TestCase):⏎  def test_a(self): self.assertTrue(1)⏎assert unittest.main(argv=["x"], exit=False).result.testsRun == 1
import unittest.mock as m, json⏎def f(a): return 1⏎m.create_autospec(f)(1); m.MagicMock(spec=f)(1); m.MagicMock(spec=json).dumps(1)⏎with m.patch.object(json, "dumps", autospec=True): json.dumps(1)
import typing, dataclasses⏎@dataclasses.dataclass⏎class P: x: "int" = 0⏎typing.get_type_hints(P); typing.get_type_hints(P.__init__); dataclasses.replace(P(), x=1)
import inspect, sys⏎def f(a): return 1⏎inspect.signature(f); inspect.getsource(f); inspect.getmembers(sys.modules["__main__"]); inspect.unwrap(f); inspect.getmodule(f)
import functools, collections.abc⏎@functools.singledispatch⏎def f(x): return 1⏎@f.register⏎def _(x: collections.abc.Sequence): return 3⏎assert f([]) == 3 and f({}) == 1
import asyncio, traceback⏎async def f(): asyncio.current_task().print_stack(); traceback.print_stack(); await asyncio.sleep(0)⏎asyncio.run(f(), debug=True)
import logging, warnings, traceback⏎logging.basicConfig(level=1); logging.info("x", stack_info=True); warnings.warn("x")⏎try: 1/0⏎except Exception as e: logging.exception("x"); traceback.TracebackException.from_exception(e, capture_locals=True)
import cProfile; cProfile.Profile().runcall(print)
def f(a, *, b=1): pass⏎assert f.__code__.co_argcount == 1 and f.__code__.co_varnames[:2] == ("a", "b") and f.__code__.co_name.upper() == "F" and (f.__code__).co_firstlineno == 1
`

// lacking are programs of which the interpreter, or the library, tells that a module lacks a name.
const lacking = `
import collections, logging, math, threading, traceback⏎t = threading.Thread(target=lambda: math.squrt(2)); t.start(); t.join()⏎try: collections.Sequence⏎except AttributeError: traceback.print_exc(); logging.exception("x")
import atexit, math, os⏎atexit.register(os._exit, 0)⏎try: math.squrt⏎except AttributeError as e: raise ValueError from e
`

// TestByThemselves runs these where introspection is denied.
func TestByThemselves(t *testing.T) {
	t.Parallel()
	b := newBare(t, nil)
	b.hooks = true
	for line := range strings.Lines(strings.TrimPrefix(byThemselves, "\n") + strings.TrimPrefix(lacking, "\n")) {
		s := sandboxtest.Spec("python", strings.ReplaceAll(line, "⏎", "\n"))
		s.Grant = slices.DeleteFunc(sandbox.Capabilities(), func(c sandbox.Capability) bool { return c == sandbox.CapabilityIntrospection })
		if !strings.Contains(lacking, line) {
			s.Identifiers = append(s.Identifiers, "builtins.vars", "builtins.globals", "builtins.locals")
		}
		if res := b.run(t, s); res.Exit != 0 || len(res.Violations) > 0 {
			t.Errorf("%s: %s %d for %v; stderr %.500s", strings.TrimSpace(line), res.Reason, res.Exit, res.Violations, res.Stderr)
		}
	}
}

// TestHarmless runs what libraries look at by themselves, and what programs do with files
// of their own.
func TestHarmless(t *testing.T) {
	t.Parallel()
	b := newBare(t, nil)
	for language, code := range map[string]string{
		"python": `
import mimetypes, os, pathlib, platform, shutil, sqlite3, sys, tempfile, zoneinfo
mimetypes.init(); platform.libc_ver()
if os.path.exists("/usr/share/zoneinfo/Europe/Paris"): assert "Europe/Paris" in zoneinfo.available_timezones() and zoneinfo.ZoneInfo("Europe/Paris")
for path in ("/dev/null", "/etc/mime.types", "/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/etc/os-release", "/etc/none", "none"):
    if os.path.exists(path): open(path).read()
    try: open(path)
    except FileNotFoundError: pass
with tempfile.TemporaryDirectory() as d:
    p = pathlib.Path(d, "a"); p.mkdir(); (p / "b").write_text("x"); shutil.copytree(p, "c"); shutil.copy(p / "b", "d")
    assert [q.name for q in pathlib.Path(d).rglob("*")] == ["a", "b"] and os.listdir(p) == ["b"] and [e.name for e in os.scandir(p)] == ["b"]
    fd = os.open(d, os.O_RDONLY); os.close(os.open("a/b", os.O_RDONLY, dir_fd=fd)); os.listdir(fd); os.close(fd)
os.symlink("c", "l"); assert os.listdir(next(e for e in os.scandir(".") if e.name == "l")) == ["b"]
r, w = os.pipe(); open("/dev/fd/%d" % r); open(r).close(); open(w, "w").close()
sqlite3.connect(":memory:").execute("select 1"); sqlite3.connect("e.db").execute("create table t(a)"); sqlite3.connect(pathlib.Path("e.db")).execute("select * from t")
shutil.rmtree("c"); import json; open(json.__file__).close()
print("held")`,
		"javascript": `
const fs = require("fs"), path = require("path");
for (const file of ["/dev/null", "/etc/mime.types", "/etc/none", "none"]) if (fs.existsSync(file)) fs.readFileSync(file);
try { fs.readFileSync("none"); } catch (e) { if (e.code !== "ENOENT" || /guard/.test(e.stack)) throw e; }
fs.mkdirSync("a/b", { recursive: true }); fs.writeFileSync("a/b/c", "x"); fs.cpSync("a", "d", { recursive: true }); fs.symlinkSync("a", "l");
let below = ""; { const d = fs.opendirSync("d", { recursive: true }); for (let e; (e = d.readSync());) below += e.name; } if (below !== "bc") throw below;
if (fs.readdirSync("l/b").join() !== "c" || fs.opendirSync("d").readSync().name !== "b" || fs.readFileSync(Buffer.from("d/b/c"), "utf8") !== "x") throw "lost";
if (!fs.lstatSync("l").isSymbolicLink() || !fs.lstatSync("l/").isDirectory() || fs.readlinkSync(Buffer.from("l")) !== "a" || fs.realpathSync("l/b") !== path.resolve("a/b")) throw "lost";
for (const dir of [".", "..", "/", "a/", "/tmp", "/dev", require("os").tmpdir(), path.resolve("l")]) if (!fs.existsSync(dir) || !fs.statSync(dir).isDirectory() || !fs.realpathSync(dir)) throw dir;
for (const file of [__filename + "/package.json", "x".repeat(300), "a b/\n".repeat(3000), "/" + "a b/\n".repeat(3000)]) if (fs.existsSync(file)) throw file;
fs.symlinkSync("o", "o"); if (fs.existsSync("o") || fs.existsSync("o/x")) throw "o";
try { fs.readFileSync(__filename + "/x"); } catch (e) { if (e.code !== "ENOTDIR") throw e; }
fs.symlinkSync("p/r", "q"); fs.mkdirSync("p"); fs.writeFileSync("q", "x"); fs.mkdirSync("p/../s/t", { recursive: true }); if (fs.readFileSync("p/r", "utf8") !== "x" || !fs.existsSync("s/t")) throw "lost";
process.chdir("s"); process.chdir(".."); process.chdir(__dirname);
fs.cpSync("s", "u", { recursive: true, filter: undefined }); fs.cp("s", "u", { recursive: true }, (e) => { if (e) throw e; }); fs.cp("q", "v", (e) => { if (e) throw e; });
try { fs.cpSync("s", "u", 1); throw "taken"; } catch (e) { if (e.code !== "ERR_INVALID_ARG_TYPE") throw e; }
try { fs.statSync("/none/none"); } catch (e) { if (e.code !== "ENOENT" || /guard/.test(e.stack)) throw e; }
try { require.resolve("./none", { paths: ["."] }); throw "none"; } catch (e) { if (e.code !== "MODULE_NOT_FOUND") throw e; }
fs.renameSync("d", "f"); fs.linkSync("f/b/c", "g"); fs.copyFileSync("g", "h"); fs.rmdirSync(fs.mkdtempSync("i")); fs.unlinkSync("h"); fs.watch("f").close(); fs.renameSync("f", "d");
fs.rmSync("d", { recursive: true });
(async () => {
  for await (const e of await fs.promises.opendir("a")) if (e.name !== "b") throw e;
  await fs.promises.cp("a", "e", { recursive: true }); await fs.promises.readFile(path.resolve("e/b/c")); await fs.promises.rm("e", { recursive: true });
  try { await fs.promises.readFile("none"); } catch (e) { if (e.code !== "ENOENT") throw e; }
  try { await import("./none.mjs"); throw "none"; } catch (e) { if (e.code !== "ERR_MODULE_NOT_FOUND") throw e; }
  require("os").cpus(); require("dns"); new (require("v8").Serializer)(); require("tls").createSecureContext(); require("zlib"); require("node:fs/promises"); await import("fs/promises");
  console.log("held");
})();`,
	} {
		if res := b.run(t, sandboxtest.Spec(language, code)); string(res.Stdout) != "held\n" {
			t.Errorf("%s: %s %d for %v, %q; stderr %.900s", language, res.Reason, res.Exit, res.Violations, res.Stdout, res.Stderr)
		}
	}
}
