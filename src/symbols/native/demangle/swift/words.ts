/** Tables of Swift's mangling rules. */

/** Types of the standard library that have a letter: S and it. */
export const standardTypes: Readonly<Record<string, string>> = {
  A: 'AutoreleasingUnsafeMutablePointer',
  a: 'Array',
  b: 'Bool',
  D: 'Dictionary',
  d: 'Double',
  f: 'Float',
  h: 'Set',
  I: 'DefaultIndices',
  i: 'Int',
  J: 'Character',
  N: 'ClosedRange',
  n: 'Range',
  O: 'ObjectIdentifier',
  P: 'UnsafePointer',
  p: 'UnsafeMutablePointer',
  q: 'Optional',
  R: 'UnsafeBufferPointer',
  r: 'UnsafeMutableBufferPointer',
  S: 'String',
  s: 'Substring',
  u: 'UInt',
  V: 'UnsafeRawPointer',
  v: 'UnsafeMutableRawPointer',
  W: 'UnsafeRawBufferPointer',
  w: 'UnsafeMutableRawBufferPointer',
};

export const standardProtocols: Readonly<Record<string, string>> = {
  B: 'BinaryFloatingPoint',
  E: 'Encodable',
  e: 'Decodable',
  F: 'FloatingPoint',
  G: 'RandomNumberGenerator',
  H: 'Hashable',
  j: 'Numeric',
  K: 'BidirectionalCollection',
  k: 'RandomAccessCollection',
  L: 'Comparable',
  l: 'Collection',
  M: 'MutableCollection',
  m: 'RangeReplaceableCollection',
  Q: 'Equatable',
  T: 'Sequence',
  t: 'IteratorProtocol',
  U: 'UnsignedInteger',
  X: 'RangeExpression',
  x: 'Strideable',
  Y: 'RawRepresentable',
  y: 'StringProtocol',
  Z: 'SignedInteger',
  z: 'BinaryInteger',
};

/** Those of concurrency: Sc and a letter. */
export const concurrencyTypes: Readonly<Record<string, string>> = {
  C: 'CheckedContinuation',
  c: 'UnsafeContinuation',
  E: 'CancellationError',
  e: 'UnownedSerialExecutor',
  G: 'TaskGroup',
  g: 'ThrowingTaskGroup',
  J: 'UnownedJob',
  M: 'MainActor',
  P: 'TaskPriority',
  S: 'AsyncStream',
  s: 'AsyncThrowingStream',
  T: 'Task',
  t: 'UnsafeCurrentTask',
};

export const concurrencyProtocols: Readonly<Record<string, string>> = {
  A: 'Actor',
  F: 'Executor',
  f: 'SerialExecutor',
  I: 'AsyncIteratorProtocol',
  i: 'AsyncSequence',
};

export const builtinTypes: Readonly<Record<string, string>> = {
  A: 'ImplicitActor',
  B: 'UnsafeValueBuffer',
  b: 'BridgeObject',
  c: 'RawUnsafeContinuation',
  D: 'DefaultActorStorage',
  d: 'NonDefaultDistributedActorStorage',
  e: 'Executor',
  I: 'IntLiteral',
  j: 'Job',
  O: 'UnknownObject',
  o: 'NativeObject',
  P: 'PackIndex',
  p: 'RawPointer',
  t: 'SILToken',
  w: 'Word',
};

/** By the letters a to z that stand for them. */
export const operatorSigns = '& @/= >    <*!|+?%-~   ^ .';

export const accessors: Readonly<Record<string, string>> = {
  b: 'borrow',
  G: 'getter',
  g: 'getter',
  i: 'init',
  M: 'modify',
  m: 'materializeForSet',
  r: 'read',
  s: 'setter',
  W: 'didset',
  w: 'willset',
  x: 'modify',
  y: 'yielding borrow',
  z: 'yielding modify',
};

const addressorOwners: Readonly<Record<string, string>> = {
  O: 'owning',
  o: 'nativeOwning',
  p: 'nativePinning',
  u: 'unsafe',
};

export function addressor(isMutable: boolean, owner: string): string | undefined {
  const word = addressorOwners[owner];
  return word && `${word}${isMutable ? 'Mutable' : ''}Addressor`;
}

export const valueWitnesses: Readonly<Record<string, string>> = {
  al: 'allocateBuffer',
  ca: 'assignWithCopy',
  ta: 'assignWithTake',
  de: 'deallocateBuffer',
  xx: 'destroy',
  XX: 'destroyBuffer',
  Xx: 'destroyArray',
  CP: 'initializeBufferWithCopyOfBuffer',
  Cp: 'initializeBufferWithCopy',
  cp: 'initializeWithCopy',
  TK: 'initializeBufferWithTakeOfBuffer',
  Tk: 'initializeBufferWithTake',
  tk: 'initializeWithTake',
  pr: 'projectBuffer',
  xs: 'storeExtraInhabitant',
  xg: 'getExtraInhabitantIndex',
  Cc: 'initializeArrayWithCopy',
  Tt: 'initializeArrayWithTakeFrontToBack',
  tT: 'initializeArrayWithTakeBackToFront',
  ug: 'getEnumTag',
  up: 'destructiveProjectEnumData',
  ui: 'destructiveInjectEnumTag',
  et: 'getEnumTagSinglePayload',
  st: 'storeEnumTagSinglePayload',
};

/** WO and a letter. */
export const outlined: Readonly<Record<string, string>> = {
  B: 'initialize with take',
  b: 'initialize with take',
  C: 'init with copy',
  c: 'init with copy',
  D: 'assign with take',
  d: 'assign with take',
  e: 'consume',
  F: 'assign with copy',
  f: 'assign with copy',
  g: 'enum get tag',
  H: 'destroy',
  h: 'destroy',
  i: 'enum tag store',
  j: 'enum project data',
  r: 'retain',
  s: 'release',
  y: 'copy',
};

/** M and a letter: of types. */
export const metadata: Readonly<Record<string, string>> = {
  a: 'type metadata accessor',
  f: 'full type metadata',
  I: 'type metadata instantiation cache',
  i: 'type metadata instantiation function',
  L: 'lazy cache variable for type metadata',
  l: 'type metadata singleton initialization cache',
  m: 'metaclass',
  n: 'nominal type descriptor',
  o: 'class metadata base offset',
  P: 'generic type metadata pattern',
  r: 'type metadata completion function',
  s: 'ObjC resilient class stub',
  t: 'full ObjC resilient class stub',
  U: 'ObjC metadata update function',
  u: 'method lookup function',
};

/** W and a letter: of conformances. */
export const witnessTables: Readonly<Record<string, string>> = {
  a: 'protocol witness table accessor',
  G: 'generic protocol witness table',
  I: 'instantiation function for generic protocol witness table',
  P: 'protocol witness table',
  p: 'protocol witness table pattern',
  r: 'resilient protocol witness table',
};

/** T and a letter: words before what was read so far. */
export const attributes: Readonly<Record<string, string>> = {
  A: 'partial apply for ',
  a: 'partial apply ObjC for ',
  D: 'dynamic ',
  d: 'super ',
  E: 'distributed thunk ',
  F: 'distributed accessor for ',
  I: 'dynamically replaceable implementation of ',
  m: 'merged ',
  O: '@nonobjc ',
  o: '@objc ',
  u: 'async function pointer to ',
  X: 'dynamically replaceable variable for ',
  x: 'dynamically replaceable key for ',
};

/** Tw and a letter. */
export const widerAttributes: Readonly<Record<string, string>> = {
  B: 'back deployment fallback for ',
  b: 'back deployment thunk for ',
  c: 'coro function pointer to ',
  d: 'default override of ',
  S: '#_hasSymbol query for ',
};

/** f and a letter: parts of what was read so far. */
export const partsOf: Readonly<Record<string, string>> = {
  F: 'property wrapped field init accessor of ',
  i: 'variable initialization expression of ',
  P: 'property wrapper backing initializer of ',
  W: 'property wrapper init from projected value of ',
};

export const destructors: Readonly<Record<string, string>> = {
  D: '__deallocating_deinit',
  d: 'deinit',
  E: '__ivar_destroyer',
  e: '__ivar_initializer',
  Z: '__isolated_deallocating_deinit',
};

export const calleeConventions: Readonly<Record<string, string>> = {
  g: '@callee_guaranteed ',
  t: '@convention(thin) ',
  x: '@callee_owned ',
  y: '@callee_unowned ',
};

export const representations: Readonly<Record<string, string>> = {
  B: '@convention(block) ',
  C: '@convention(c) ',
  J: '@convention(objc_method) ',
  K: '@convention(closure) ',
  M: '@convention(method) ',
  V: '@convention(com_method) ',
  W: '@convention(witness_method) ',
};

export const parameterConventions: Readonly<Record<string, string>> = {
  b: '@inout_aliasable ',
  c: '@in_constant ',
  e: '@deallocating ',
  g: '@guaranteed ',
  i: '@in ',
  l: '@inout ',
  m: '@pack_inout ',
  n: '@in_guaranteed ',
  p: '@pack_guaranteed ',
  v: '@pack_owned ',
  X: '@in_cxx ',
  x: '@owned ',
  y: '@unowned ',
};

export const resultConventions: Readonly<Record<string, string>> = {
  a: '@autoreleased ',
  d: '@unowned ',
  g: '@guaranteed ',
  k: '@pack_out ',
  l: '@guaranteed_address ',
  m: '@inout ',
  o: '@owned ',
  r: '@out ',
  u: '@unowned_inner_pointer ',
};
