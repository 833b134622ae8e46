/** Whether the same request may succeed when it is repeated: never, or later without any change. */
export type Retry = "never" | "later";

/** What is known of an error code: where it shows, why it happens, what helps. */
export interface ErrorDescription {
  /** HTTP status with which the gateway answers; 500 for codes that are not a caller's to see. */
  readonly status: number;
  readonly retry: Retry;
  readonly title: string;
  readonly cause: string;
  readonly remedy: string;
}

function describe(status: number, retry: Retry, words: readonly [title: string, cause: string, remedy: string]) {
  const [title, cause, remedy] = words;
  return { status, retry, title, cause, remedy } satisfies ErrorDescription;
}

/** Every error code of Antler. `docs/errors.md` is generated from this table. */
export const ERROR_CODES = {
  malformed_json: describe(400, "never", [
    "Body is not JSON",
    "The request body could not be parsed as JSON.",
    "Send a JSON object with content-type application/json.",
  ]),
  invalid_request: describe(422, "never", [
    "Request is not valid",
    "A field of the path, query or body is missing or has the wrong form; `errors` lists each with its path.",
    "Correct the fields that `errors` names.",
  ]),
  unsupported_option: describe(422, "never", [
    "Option is not supported",
    "The request asks for something this version does not do; `option` names it.",
    "Leave the option out, or choose a value that the message names.",
  ]),
  unsupported_media_type: describe(415, "never", [
    "Content type is not accepted",
    "The route does not read bodies of this content type.",
    "Send the content type that the message names.",
  ]),
  route_not_found: describe(404, "never", [
    "No such route",
    "Method and path match no route of the gateway.",
    "See the route list in docs/http.md.",
  ]),
  assistant_not_found: describe(404, "never", [
    "No such assistant",
    "The assistant id is neither `lead` nor the id of an assistant.",
    "Use the assistant id `lead`.",
  ]),
  thread_not_found: describe(404, "never", [
    "No such thread",
    "The thread does not exist, or belongs to another tenant.",
    "Create the thread first, or send if_not_exists: create.",
  ]),
  checkpoint_not_found: describe(404, "never", [
    "No such checkpoint",
    "The thread has no checkpoint of that id; of an earlier run only the last one is kept.",
    "Take an id from the thread's history.",
  ]),
  run_not_found: describe(404, "never", [
    "No such run",
    "The run does not exist on this thread, or belongs to another tenant.",
    "Check thread id and run id.",
  ]),
  task_not_found: describe(404, "never", [
    "No such task",
    "The task does not exist in this run.",
    "List the tasks of the run to see their ids.",
  ]),
  thread_exists: describe(409, "never", [
    "Thread exists already",
    "A thread with this id was created before.",
    "Choose another id, or send if_exists: do_nothing.",
  ]),
  thread_busy: describe(409, "later", [
    "Thread has an active run",
    "One run at a time may hold a thread, and another one holds it.",
    "Wait for the active run to end, or cancel it.",
  ]),
  idempotency_key_reused: describe(409, "never", [
    "Idempotency key belongs to another request",
    "The thread has a run that was created with the same Idempotency-Key and another body.",
    "Repeat the first request as it was, or take a new key for a new one.",
  ]),
  nothing_to_resume: describe(409, "never", [
    "Thread waits for no answer",
    "The request resumes the thread with command.resume, and no interrupt is pending, or no longer the one it answers.",
    "Send input instead, or answer what is asked now; the thread's state lists pending interrupts.",
  ]),
  dead_letter_not_found: describe(404, "never", [
    "No such dead letter",
    "The dead letter does not exist, was discarded, or belongs to another tenant.",
    "List the dead letters to see their ids.",
  ]),
  dead_letter_not_retryable: describe(409, "never", [
    "Dead letter cannot be retried",
    "Only a run that the letter itself ended can be taken up again; the message says what the letter is instead.",
    "Do what the message says, then discard the letter.",
  ]),
  run_not_cancellable: describe(409, "never", [
    "Run has ended",
    "A run that has ended cannot be cancelled.",
    "Nothing needs to be done; the message names the status.",
  ]),
  body_too_large: describe(413, "never", [
    "Body is too large",
    "The request body exceeds the configured limit.",
    "Send less, or raise http.max_body_bytes.",
  ]),
  workspace_too_large: describe(413, "never", [
    "Workspace is too large",
    "The upload exceeds sandbox.upload.max_files or sandbox.upload.max_bytes; nothing of it was kept.",
    "Leave out the entries that `largest` names, or raise the limit that `limit` names.",
  ]),
  workspace_entry_refused: describe(422, "never", [
    "Workspace holds a refused entry",
    "An entry has an absolute or parent path, is a device or FIFO, or is a link that leaves the workspace; nothing was kept.",
    "Leave the entry out of the archive.",
  ]),
  workspace_archive_invalid: describe(400, "never", [
    "Workspace archive cannot be read",
    "The body is not a complete tar stream; nothing of it was kept.",
    "Send an uncompressed tar stream with content-type application/x-tar.",
  ]),
  queue_full: describe(429, "later", [
    "Queue is full",
    "As many runs or tasks are waiting in this lane as delivery.max_queued allows.",
    "Repeat the request after the time in Retry-After.",
  ]),
  tenant_limit_reached: describe(429, "later", [
    "Too many runs in flight",
    "As many runs of the tenant have not ended yet as delivery.max_in_flight_per_tenant allows.",
    "Repeat the request after the time in Retry-After, or cancel runs that are not needed.",
  ]),
  store_unavailable: describe(503, "later", [
    "Document store cannot be reached",
    "MongoDB did not answer in time.",
    "Check MONGODB_URL and that the server runs; the request may be repeated.",
  ]),
  bus_unavailable: describe(503, "later", [
    "Message bus cannot be reached",
    "NATS did not answer in time.",
    "Check NATS_URL and that the server runs with JetStream; the request may be repeated.",
  ]),
  shutting_down: describe(503, "later", [
    "Process is shutting down",
    "The process that got the request is draining.",
    "Repeat the request; another replica answers.",
  ]),
  wait_timeout: describe(504, "later", [
    "Run has not ended yet",
    "The run was still going when the longest waiting time was over.",
    "Join the run again, or stream it.",
  ]),
  internal: describe(500, "later", [
    "Internal error",
    "Something failed that has no code of its own; the log has it under the trace id.",
    "Report it with the trace id.",
  ]),
  config_invalid: describe(500, "never", [
    "Configuration is not valid",
    "The file antler.yaml or the environment has faults; the message lists each with its path.",
    "Correct the paths that the message names; see docs/configuration.md.",
  ]),
  address_in_use: describe(500, "never", [
    "Address is in use",
    "Another process listens on the configured host and port.",
    "Choose another http.port, or stop the other process.",
  ]),
  model_unknown: describe(422, "never", [
    "No such model",
    "The name is not among `models` in the configuration, or none is configured.",
    "Use a configured name, or set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY.",
  ]),
  model_failed: describe(500, "never", [
    "Model call failed",
    "The provider refused the call or gave no usable answer.",
    "The message holds the provider's words; check key, quota and model name.",
  ]),
  model_unavailable: describe(500, "later", [
    "Model provider cannot be reached",
    "The provider could not be reached, is overloaded, or limits the rate.",
    "The call is repeated by itself; check the base URL if it goes on.",
  ]),
  envelope_refused: describe(500, "never", [
    "Task envelope is refused",
    "The envelope of the task names something that this runner's configuration does not allow.",
    "Bring the configuration of lead-runner and subagent-runner into agreement.",
  ]),
  path_refused: describe(422, "never", [
    "Path is refused",
    "The path leaves the virtual roots, goes through a link that leaves them, or is read-only.",
    "Use a path under /mnt/user-data/workspace, /mnt/user-data/uploads or /mnt/user-data/outputs.",
  ]),
  skill_invalid: describe(500, "never", [
    "Skill cannot be loaded",
    "A SKILL.md is missing, not valid, too large or not readable, or skills.dir is not there; the message names the file and the field.",
    "Correct the file that the message names, or put the skill under skills.disabled.",
  ]),
  address_refused: describe(422, "never", [
    "Address is refused",
    "A URL leads to a host, an address or a port that must not be dialled: only public addresses are, and only named hosts behind a proxy.",
    "Take a public http or https URL, or extend web_fetch.allowed_ports or web_fetch.allowed_hosts.",
  ]),
  fetch_failed: describe(502, "later", [
    "URL could not be fetched",
    "The server of a URL could not be reached, took too long, or redirected too often.",
    "Check the URL; raise web_fetch.timeout_seconds for slow servers.",
  ]),
  sandbox_unavailable: describe(500, "never", [
    "No sandbox can run commands",
    "None of the sandbox providers passed its probe; the message holds each provider's reason.",
    "Install bubblewrap and allow user namespaces for it, or accept unisolated commands with --allow-host-bash.",
  ]),
  lease_lost: describe(500, "later", [
    "Lease is lost",
    "Another worker holds the work, or its lease could not be renewed in time.",
    "Nothing needs to be done; the holder of the lease goes on.",
  ]),
  drained: describe(500, "later", [
    "Work was handed back",
    "The process drains; the work continues in another one.",
    "Nothing needs to be done.",
  ]),
  cancelled: describe(500, "never", ["Work was cancelled", "A user cancelled the run.", "Nothing needs to be done."]),
  deadline_exceeded: describe(500, "never", [
    "Time limit is over",
    "The work did not end within its limit.",
    "Raise the limit, or make the work smaller.",
  ]),
  payload_too_large: describe(413, "never", [
    "Ticket is too large",
    "The claim ticket with its trace headers exceeds the max_payload of NATS.",
    "Send less in the headers tracestate and baggage, or raise max_payload of nats-server.",
  ]),
  document_too_large: describe(500, "never", [
    "Document is too large",
    "A ledger row, event or checkpoint would come near the store's 16 MB limit.",
    "Start a new thread, or let tools write large output to files.",
  ]),
  topology_conflict: describe(500, "never", [
    "Stream or consumer differs",
    "A stream or consumer exists with settings that cannot serve Antler.",
    "Run antler topology apply, or remove the foreign stream.",
  ]),
} as const satisfies Readonly<Record<string, ErrorDescription>>;

export type ErrorCode = keyof typeof ERROR_CODES;
