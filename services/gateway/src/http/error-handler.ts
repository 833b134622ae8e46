import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";

import { AntlerError, headOf, type Problem, problemOf, traceIdOf } from "@antler/contracts";
import type { Logger } from "@antler/platform";

import type { GatewayApp } from "./gateway-app.ts";
import { faultsOf } from "./validation-faults.ts";

const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

/** Seconds after which a request that was refused for the moment may be repeated, when the error does not say. */
const RETRY_AFTER_SECONDS = 2;

const JSON_FAULTS = new Set([
  "FST_ERR_CTP_INVALID_JSON_BODY",
  "FST_ERR_CTP_EMPTY_JSON_BODY",
  "FST_ERR_CTP_INVALID_CONTENT_LENGTH",
]);
const URL_FAULTS = new Set(["FST_ERR_BAD_URL", "FST_ERR_MAX_PARAM_LENGTH"]);

export interface ErrorHandlerOptions {
  readonly logger: Logger;
  readonly maxBodyBytes: number;
}

/** Answers every error with a problem document; nothing of an unknown error leaves the process. */
export function handleErrors(app: GatewayApp, options: ErrorHandlerOptions): void {
  app.setErrorHandler((error, request, reply) => {
    sendProblem(error, request, { reply, ...options });
  });
  app.setNotFoundHandler((request) => {
    throw routeNotFound(request);
  });
}

function sendProblem(
  error: unknown,
  request: FastifyRequest,
  { reply, logger, maxBodyBytes }: ErrorHandlerOptions & { reply: FastifyReply },
): void {
  const problem = problemFor(error, request, maxBodyBytes);
  if (problem.status >= 500) logger.error({ err: error, trace_id: problem.trace_id }, "Request failed");
  const retryAfter = retryAfterOf(problem);
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  reply
    .code(problem.status)
    .type(PROBLEM_TYPE)
    .serializer(JSON.stringify)
    .send({ ...problem, ...(retryAfter !== undefined && { retry_after: retryAfter }) });
}

function problemFor(error: unknown, request: FastifyRequest, maxBodyBytes: number): Problem {
  return problemOf(knownErrorOf(error, request, maxBodyBytes), traceIdOf(request.trace));
}

/** Undefined for an error that repeating alone does not help against. */
function retryAfterOf(problem: Problem): number | undefined {
  if (problem.status !== 429 && problem.status !== 503) return undefined;
  const given = problem["retry_after"];
  return typeof given === "number" ? given : RETRY_AFTER_SECONDS;
}

/** The error of ours that a framework error stands for; any other error as it is. */
function knownErrorOf(error: unknown, request: FastifyRequest, maxBodyBytes: number): unknown {
  const { code, validation, validationContext } = error as Partial<FastifyError>;
  if (validation !== undefined) return invalidRequest(faultsOf(validation, validationContext ?? "body"), error);
  if (code !== undefined && JSON_FAULTS.has(code)) return malformedJson(error);
  if (code !== undefined && URL_FAULTS.has(code)) return routeNotFound(request);
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return bodyTooLarge(maxBodyBytes, error);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return unsupportedMediaType(request, error);
  return isBadJson(error) ? malformedJson(error) : error;
}

function malformedJson(cause: unknown): AntlerError {
  return new AntlerError("malformed_json", "The body is not a JSON value", { cause });
}

function routeNotFound(request: FastifyRequest): AntlerError {
  return new AntlerError("route_not_found", `No route answers ${request.method} ${pathOf(request)}`);
}

function invalidRequest(errors: readonly { path: string; message: string }[], cause: unknown): AntlerError {
  const words = errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const message = headOf(`The request is not valid: ${words.join("; ")}`, 2000);
  return new AntlerError("invalid_request", message, { cause, details: { errors } });
}

function bodyTooLarge(limit: number, cause: unknown): AntlerError {
  const message = `The body exceeds http.max_body_bytes, which is ${limit}`;
  return new AntlerError("body_too_large", message, { cause, details: { limit: "http.max_body_bytes" } });
}

function unsupportedMediaType(request: FastifyRequest, cause: unknown): AntlerError {
  const given = request.headers["content-type"] ?? "none";
  const accepted = request.routeOptions.config.accepts ?? "application/json";
  return new AntlerError("unsupported_media_type", `Content type ${given} is not read; send ${accepted}`, { cause });
}

function isBadJson(error: unknown): boolean {
  return error instanceof SyntaxError && (error as Partial<FastifyError>).statusCode === 400;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?")[0] ?? request.url;
}
