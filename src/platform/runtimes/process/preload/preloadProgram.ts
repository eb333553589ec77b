import { SDK_MODULE } from '../../workerEnvironment.ts';

/** Descriptor of the channel to the platform in the process that preloads. */
export const CHANNEL = 3;

/**
 * Loads what `x-local.preload` names, and then forks a process for each run of a worker. It runs with the interpreter of the worker, and
 * needs Python 3.9 and a system with fork.
 *
 * The channel has a JSON object on each line. The platform sends one description of the worker, and then requests to fork. The program
 * answers with the result of the preload, with the ID of each forked process, and with the status of each one that has ended.
 *
 * The program has one thread and forks from it, so a child finds no lock in the hands of a thread that it does not have. It ends with the
 * platform: by a signal of the kernel on Linux, and by the end of the channel.
 */
export const PRELOAD_PYTHON = `
import sys

def serve():
    import functools, gc, importlib, importlib.util, inspect, json, os, random, select, signal, socket, stat, time, traceback, warnings, weakref

    channel = socket.socket(fileno=${CHANNEL})
    channel.set_inheritable(False)
    received = b''
    children = {}
    here = os.getpid()

    def end():
        for pid in children:
            for kill in (os.killpg, os.kill):
                try:
                    kill(pid, signal.SIGKILL)
                except OSError:
                    pass
        os._exit(0)

    def send(**message):
        try:
            channel.sendall(json.dumps(message).encode() + b'\\n')
        except OSError:
            end()

    def next_request():
        nonlocal received
        line, found, rest = received.partition(b'\\n')
        if not found:
            return None
        received = rest
        return json.loads(line)

    def read():
        nonlocal received
        data = channel.recv(65536)
        if not data:
            end()
        received += data

    def control(option, value):
        if sys.platform != 'linux':
            return False
        try:
            import ctypes
            return ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0
        except Exception:
            return False

    def die_with(parent):
        # PR_SET_PDEATHSIG
        control(1, int(signal.SIGKILL))
        if os.getppid() != parent:
            os._exit(1)

    die_with(os.getppid())
    # PR_SET_CHILD_SUBREAPER: processes that outlive a fork become children of this process.
    adopts = control(36, 1)
    about = next_request()
    while about is None:
        read()
        about = next_request()

    for name in about['hidden']:
        os.environ.pop(name, None)

    # Files that the preload reads, with their state before they are read: sources of modules, and all files of the worker's directory.
    root = os.path.join(os.path.realpath(about['directory']), '')
    library = os.path.join(os.path.dirname(os.path.realpath(os.__file__)), '')
    files = {}
    written = set()
    tracking = True

    def track(event, args):
        if event != 'open' or not tracking:
            return
        try:
            name, mode, flags = args
            if not isinstance(name, (str, bytes)):
                return
            name = os.path.realpath(os.fsdecode(name))
            if name.endswith('.pyc'):
                name = importlib.util.source_from_cache(name)
            if not name.startswith(root) and not name.endswith('.py'):
                return
            if name.startswith(library) or 'site-packages' in name or 'dist-packages' in name:
                return
            writes = set(mode) & set('wax+') if mode else flags & (os.O_WRONLY | os.O_RDWR)
            if writes:
                written.add(name)
                files.pop(name, None)
            elif name not in written and name not in files:
                found = os.stat(name)
                if stat.S_ISREG(found.st_mode):
                    files[name] = [str(found.st_mtime_ns), found.st_size]
        except Exception:
            pass

    def load(entry):
        module_name, _, name = entry.partition(':')
        module = importlib.import_module(module_name)
        if not name:
            return
        function = getattr(module, name)
        kept = function()
        if inspect.iscoroutine(kept):
            kept.close()
            raise TypeError(entry + ' is asynchronous')

        @functools.wraps(function)
        def preloaded(*args, **kwargs):
            return function(*args, **kwargs) if args or kwargs else kept

        setattr(module, name, preloaded)

    def native_threads():
        # Fork-aware libraries, such as OpenBLAS, end their threads before each fork. Threads that survive one belong to others.
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            pid = os.fork()
            if pid == 0:
                os._exit(0)
        until = time.monotonic() + 5
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return 'a fork did not end within 5 s'
            time.sleep(0.001)
        for _ in range(50):
            try:
                others = [task for task in os.listdir('/proc/self/task') if int(task) != here]
            except OSError:
                return None
            if not others:
                return None
            time.sleep(0.002)
        return 'native threads run: ' + str(len(others))

    def open_devices():
        found = set()
        for name in os.listdir('/dev/fd'):
            descriptor = int(name)
            if descriptor in (0, 1, 2, channel.fileno()):
                continue
            try:
                mode = os.fstat(descriptor).st_mode
                if stat.S_ISSOCK(mode):
                    found.add('a connection is open' + peer_of(descriptor))
                    continue
                target = os.readlink('/proc/self/fd/' + name)
            except OSError:
                continue
            if target.startswith(('/dev/nvidia', '/dev/kfd', '/dev/dri/')):
                found.add('a GPU is open (' + target + ')')
            elif target.startswith('anon_inode:[eventpoll]'):
                found.add('an event loop is open')
        return sorted(found)

    def peer_of(descriptor):
        try:
            with socket.socket(fileno=os.dup(descriptor)) as copy:
                address = copy.getpeername()
            return ' (to %s:%s)' % address[:2] if isinstance(address, tuple) else ''
        except OSError:
            return ''

    def obstacles():
        bars = getattr(sys.modules.get('tqdm'), 'tqdm', None)
        if getattr(bars, 'monitor', None) is not None:
            # This thread only redraws progress bars. The next bar starts another one.
            bars.monitor.exit()
            bars.monitor = None
        found = []
        threading = sys.modules.get('threading')
        names = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()] if threading else []
        if names:
            found.append('threads run: ' + ', '.join(names))
        gc.collect()
        found += open_devices()
        torch = sys.modules.get('torch')
        try:
            if torch is not None and torch.cuda.is_initialized():
                found.append('CUDA is initialized')
        except Exception:
            pass
        try:
            while True:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    found.append('a subprocess runs')
                    break
        except ChildProcessError:
            pass
        if not found:
            threads = native_threads()
            if threads:
                found.append(threads)
        return found

    def first_path(target, replaced):
        if sys.flags.isolated or getattr(sys.flags, 'safe_path', False):
            return None
        if target[0] == '-c':
            first = ''
        elif target[0] == '-m':
            first = os.getcwd()
        else:
            script = os.path.realpath(target[0])
            first = script if os.path.isdir(script) else os.path.dirname(script)
        if sys.path and sys.path[0] == replaced:
            sys.path[0] = first
        else:
            sys.path.insert(0, first)
        return first

    def reseed():
        random.seed()
        seed = int.from_bytes(os.urandom(4), 'little')
        try:
            if 'numpy.random' in sys.modules:
                sys.modules['numpy.random'].seed(seed)
            if 'torch' in sys.modules:
                sys.modules['torch'].manual_seed(seed)
        except Exception:
            traceback.print_exc()

    def flush():
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass

    def connect(address):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(address)
        except BaseException:
            connection.close()
            raise
        return connection

    def become(request, outputs):
        os.setsid()
        for number, output in enumerate(outputs, 1):
            os.dup2(output.fileno(), number)
            output.close()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for pipe in (channel, *wakeup):
            pipe.close()
        die_with(here)
        if request['locks'] is not None:
            try:
                import resource
                resource.setrlimit(10, (request['locks'], resource.getrlimit(10)[1]))
            except (ImportError, OSError, ValueError):
                pass
        os.chdir(about['directory'])
        os.environ.clear()
        os.environ.update(request['env'])
        time.tzset()
        # A temporary directory of the preload is not the child's to delete.
        for finalizer in list(getattr(weakref.finalize, '_registry', ())):
            finalizer.atexit = False
        # The SDK has read the addresses of another process.
        for name in [name for name in sys.modules if name == '${SDK_MODULE}' or name.startswith('${SDK_MODULE}.')]:
            del sys.modules[name]
        importlib.invalidate_caches()
        first_path(request['target'], first)
        reseed()
        if hasattr(sys, 'orig_argv'):
            sys.orig_argv = [sys.executable, *request['options'], *request['target']]
        if collects:
            gc.enable()

    def fork(request):
        outputs = []
        try:
            for address in request['outputs']:
                outputs.append(connect(address))
            flush()
            pid = os.fork()
        except Exception as error:
            for output in outputs:
                output.close()
            send(refused=request['id'], reason=str(error))
            return None
        if pid == 0:
            become(request, outputs)
            return request['target']
        for output in outputs:
            output.close()
        children[pid] = request['id']
        send(forked=request['id'], pid=pid)
        return None

    def reap():
        ended = {}
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                if children.pop(pid, None) is not None:
                    ended[pid] = status
        except ChildProcessError:
            pass
        for pid, status in ended.items():
            killed = os.WIFSIGNALED(status)
            code = None if killed else os.WEXITSTATUS(status)
            send(exited=pid, code=code, signal=os.WTERMSIG(status) if killed else None, alone=is_alone())

    def is_alone():
        if not adopts:
            return False
        try:
            with open('/proc/self/task/%d/children' % here) as file:
                return all(int(pid) in children for pid in file.read().split())
        except OSError:
            return False

    first = first_path(about['target'], '')
    sys.addaudithook(track)
    failed = False
    reason = None
    try:
        for entry in about['preload']:
            load(entry)
    except BaseException as error:
        traceback.print_exc()
        failed = True
        reason = '%s failed: %s' % (entry, traceback.format_exception_only(type(error), error)[-1].strip())
    tracking = False
    if os.getpid() != here:
        os._exit(0)
    if reason is None:
        reason = '; '.join(obstacles()) or None
    flush()
    send(failed=failed, reason=reason, files=[[name, *state] for name, state in files.items()])
    collects = gc.isenabled()
    gc.disable()
    getattr(gc, 'freeze', gc.collect)()
    wakeup = socket.socketpair()
    for end_of_pipe in wakeup:
        end_of_pipe.setblocking(False)
    signal.set_wakeup_fd(wakeup[1].fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        request = next_request()
        if request is not None:
            target = fork(request)
            if target is not None:
                return target
            continue
        ready, _, _ = select.select([channel, wakeup[0]], [], [])
        if wakeup[0] in ready:
            wakeup[0].recv(4096)
        reap()
        if channel in ready:
            read()

def run(target):
    import os, runpy, types
    main = types.ModuleType('__main__')
    main.__dict__['__builtins__'] = __builtins__
    sys.modules['__main__'] = main
    word, arguments = target[0], target[1:]
    if word == '-c':
        sys.argv = ['-c', *arguments[1:]]
        exec(compile(arguments[0], '<string>', 'exec', dont_inherit=True), main.__dict__)
    elif word == '-m':
        sys.argv = ['-m', *arguments[1:]]
        runpy._run_module_as_main(arguments[0])
    elif os.path.isdir(word):
        sys.argv = [word, *arguments]
        runpy._run_module_as_main('__main__', False)
    else:
        import importlib.machinery, io
        sys.argv = [word, *arguments]
        file = os.path.abspath(word)
        try:
            with io.open_code(file) as source:
                text = source.read()
        except OSError as error:
            sys.stderr.write("%s: can't open file '%s': [Errno %s] %s\\n" % (sys.executable, file, error.errno, error.strerror))
            sys.exit(2)
        main.__dict__.update(__file__=file, __cached__=None, __loader__=importlib.machinery.SourceFileLoader('__main__', file))
        exec(compile(text, file, 'exec', dont_inherit=True), main.__dict__)

try:
    run(serve())
except Exception as error:
    trace = error.__traceback__
    own = run.__code__.co_filename
    while trace is not None and trace.tb_frame.f_code.co_filename in (own, '<frozen runpy>'):
        trace = trace.tb_next
    error.__traceback__ = trace
    sys.excepthook(type(error), error, trace)
    sys.exit(1)
`;
