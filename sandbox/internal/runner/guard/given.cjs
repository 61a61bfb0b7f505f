// The hooks that end a JavaScript program at what policy denied. They run in a realm of their
// own: its Array, Map, Error and all the rest are not those that the program can change, no code
// can be made of text in it, and all of it is frozen before there is a program. What they take
// from the program's realm they take now, and call by their own Reflect.apply.

const { globals, require, process, top, runner } = given;

delete globalThis.WebAssembly; // nobody needs it here
const { freeze, seal, defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, setPrototypeOf } = Object;
const { apply, construct } = Reflect;
const fs = require('fs'), path = require('path'), Module = require('module'), vm = require('vm');
const url = require('url'), util = require('util');
const { openSync, readSync, closeSync, writeSync, statSync, realpathSync, readlinkSync } = fs;
const { isAbsolute, extname, normalize, dirname, join } = path;
const { fileURLToPath } = url, { isProxy, isUint8Array, isUint32Array, isSharedArrayBuffer, isNativeError } = util.types, { inspect } = util;
const { URL, Buffer, Promise: Promised } = globals;
const { captureStackTrace } = globals.Error;
const bytesOf = Buffer.from, { utf8Slice } = Buffer.prototype;
const { _kill: kill, reallyExit, pid } = process;
const isMainThread = !process.abort.disabled;
const SIGKILL = 9, SIGSYS = 31;

const policy = { __proto__: null, on: false, observe: false, denied: { __proto__: null }, lifted: { __proto__: null } };
const judged = new Map(); // the text of each file that may be loaded as code
const events = new Set(); // those that did not end the run

const denies = (kind) => policy.on && policy.denied[kind] === true;
