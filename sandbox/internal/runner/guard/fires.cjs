// What comes of it when a program asks for what is denied, and how a hook takes the place of a function.

// By the key the host knows what we tell from what the program writes beside it. It is in
// no text, which a program could find in a picture of its heap.
const key = new Uint8Array(16);

// tell writes to where the program could write, too: it may have that not wait.
const tell = (message) => {
  for (let i = 0; i < 1e5; i++) {
    try { return writeSync(102, message, 0, message.length, null); } catch (e) { if (e?.code !== 'EAGAIN') return undefined; }
  }
};
const frameOf = (tag, body) => [tag.charCodeAt(0), 0, 0, 0, body.length, ...body];
const report = (tag, text) => {
  const body = [];
  for (let i = 0; i < text.length; i++) body[i] = text.charCodeAt(i);
  tell(new Uint8Array([...key, ...frameOf(tag, body)]));
};

const makeKey = () => {
  const fd = openSync('/dev/urandom');
  try { if (readSync(fd, key, 0, key.length, null) !== key.length) throw null; } finally { closeSync(fd); }
  key[0] = 0xff; // which is in no text
};

// fire ends the run, or only tells, where the capability is denied. A worker
// cannot end its process otherwise than by a signal.
const fire = (kind, event) => {
  if (!denies(kind) || policy.lifted[event] === true) return;
  if (policy.observe) {
    if (!events.has(event)) report('v', `${kind} ${event} ${line()}`);
    events.add(event);
    return;
  }
  report('s', `${kind} ${event} ${line()}`);
  for (;;) {
    kill(pid, SIGSYS);
    for (let i = 0; i < 1e8; i++);
    kill(pid, SIGKILL);
    reallyExit(128 + SIGSYS);
  }
};

// sure has a hook decide. One that cannot has decided: who made it fail wants what
// it holds.
const sure = (kind, event, decide, otherwise) => {
  try {
    return decide();
  } catch {
    fire(kind, event);
    return otherwise;
  }
};

// ---- taking the place of functions ----

const set = (holder, name, value, how) => defineProperty(holder, name, { __proto__: null, configurable: true, enumerable: true, writable: true, value, ...how });

// wrap returns what stands for a function from now on. To V8 and to the program
// it is the function itself: its prototype, its name, its text.
const wrap = (target, kind, event, looks) => {
  const look = (args) => sure(kind, event, () => looks(args));
  const wrapped = new Proxy(target, {
    __proto__: null,
    apply: (_, self, args) => { look(args); return apply(target, self, args); },
    construct: (_, args, to) => { look(args); return construct(target, args, to === wrapped ? target : to); },
  });
  const made = getOwnPropertyDescriptor(target, 'prototype')?.value;
  if (made && getOwnPropertyDescriptor(made, 'constructor')?.value === target) set(made, 'constructor', wrapped, { enumerable: false });
  return wrapped;
};

// before has fire called before a function of holder.
const before = (holder, name, kind, event, when = () => true) => {
  const target = holder?.[name];
  if (typeof target !== 'function') return undefined;
  const wrapped = wrap(target, kind, event, (args) => { if (when(args)) fire(kind, event); });
  const d = getOwnPropertyDescriptor(holder, name);
  if (d?.configurable !== false) set(holder, name, wrapped, { enumerable: d?.enumerable ?? true });
  else if (d.writable) holder[name] = wrapped;
  return wrapped;
};

// hold is a property that the program may set for itself, while answer says who
// gets what.
const hold = (holder, name, answer) => {
  let own = holder[name];
  defineProperty(holder, name, {
    __proto__: null, configurable: false, enumerable: true,
    get() { return answer(this, own); },
    set(value) { if (this === holder) own = value; else set(this, name, value); },
  });
};
