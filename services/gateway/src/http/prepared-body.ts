interface WithBody {
  body: unknown;
}

/** A hook that gives the schema a body made from what was sent. */
export function preparedBody(prepare: (body: unknown) => unknown): (request: WithBody) => Promise<void> {
  return async (request) => {
    request.body = prepare(request.body);
  };
}
