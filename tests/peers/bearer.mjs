// Preloaded into the conformance suite, which knows no tokens: adds ours to every request it sends.
import { getGlobalDispatcher, setGlobalDispatcher } from "undici";

const withBearer = (dispatch) => (options, handler) => {
  const headers = options.headers;
  const bearer = ["authorization", `Bearer ${process.env.HANDRAIL_TOKEN}`];
  if (Array.isArray(headers)) options = { ...options, headers: [...headers, ...bearer] };
  else if (headers && typeof headers[Symbol.iterator] === "function")
    options = { ...options, headers: [...[...headers].flat(), ...bearer] };
  else options = { ...options, headers: { ...headers, authorization: bearer[1] } };
  return dispatch(options, handler);
};

setGlobalDispatcher(getGlobalDispatcher().compose(withBearer));
