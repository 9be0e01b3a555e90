/** The routing blocks of a Kamailio edge, in Kamailio's own language. */
import { type EdgeSettings, hostOf, sourceHeader } from './edge-settings.ts';

const mediaFlags = 'replace-origin replace-session-connection';

export function routingBlocks(settings: EdgeSettings): string {
  const hasMedia = settings.rtpengine !== null;
  const isWorker = `ds_is_from_list("1", "${workerMatch(settings)}")`;
  return [
    requestRoute(isWorker),
    guard(settings, isWorker),
    withinDialog(settings, hasMedia),
    lostWorker,
    toWorker(settings, hasMedia),
    fromWorker(hasMedia),
    replies(hasMedia),
    nextWorker(hasMedia),
  ].join('\n');
}

/** Workers are known by address; if one shares the host of the edge, by address and port. */
const workerMatch = ({ listen, workers }: EdgeSettings): number =>
  workers.some((worker) => listen.some((socket) => hostOf(socket) === hostOf(worker))) ? 2 : 3;

const requestRoute = (isWorker: string): string => `request_route {
  route(GUARD);
  force_rport();
  if (is_method("CANCEL")) {
    if (t_check_trans()) t_relay();
    exit;
  }
  if (has_totag()) {
    route(WITHIN_DIALOG);
    exit;
  }
  # Absorbs what is sent again.
  t_check_trans();
  if (${isWorker}) {
    route(FROM_WORKER);
    exit;
  }
  if (is_method("OPTIONS")) {
    sl_send_reply("200", "OK");
    exit;
  }
  if (!is_method("INVITE|REGISTER")) {
    append_to_reply("Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, REFER, REGISTER\\r\\n");
    sl_send_reply("405", "Method Not Allowed");
    exit;
  }
  route(TO_WORKER);
}
`;

const guard = (
  { exempt }: EdgeSettings,
  isWorker: string,
): string => `# Ignores floods and refuses nonsense before they cost anything.
route[GUARD] {
  if (${isWorker}) return;
  if (${exempt.length === 0 ? 'true' : `!(${exempt.map(isIn).join(' || ')})`}) {
    if (!pike_check_req()) {
      xlog("L_NOTICE", "a flood from $si is ignored\\n");
      exit;
    }
  }
  if (!mf_process_maxfwd_header("70")) {
    sl_send_reply("483", "Too Many Hops");
    exit;
  }
  if (!sanity_check("1511", "7")) exit;
  # Only the edge says where a request came from.
  remove_hf("${sourceHeader}");
}
`;

const isIn = (network: string): string => `is_in_subnet("$si", "${network}")`;

const withinDialog = (
  settings: EdgeSettings,
  hasMedia: boolean,
): string => `# The route set of a dialog names this edge, and the request the worker that carries the call.
route[WITHIN_DIALOG] {
  if (!loose_route()) {
    if (is_method("ACK")) {
      if (t_check_trans()) t_relay();
      exit;
    }
    sl_send_reply("404", "Not Here");
    exit;
  }
  handle_ruri_alias();
  if (is_method("INVITE|UPDATE|SUBSCRIBE") && nat_uac_test("19")) set_contact_alias();
${
  hasMedia
    ? `  if (check_route_param("media=yes")) {
    setflag(1);
    if (is_method("BYE")) rtpengine_delete();
    else if (has_body("application/sdp")) rtpengine_manage("${mediaFlags}");
  }
`
    : ''
}  if (is_method("INVITE")) record_route();
  t_on_reply("RELAYED");
  if (is_method("BYE") && ds_is_from_list("1", "${workerMatch(settings)}", "$ru")) t_on_failure("LOST_WORKER");
  if (!t_relay()) sl_reply_error();
}
`;

const lostWorker = `# A BYE to a worker that is dead: any other one can end the call.
failure_route[LOST_WORKER] {
  if (!t_branch_timeout() || t_branch_replied()) exit;
  if (!ds_select_dst("1", "0")) exit;
  if ($dd == $rd && $dp == $rp && !ds_next_dst()) exit;
  t_on_failure("LOST_TOO");
  t_relay();
}

failure_route[LOST_TOO] {
  if (!t_branch_timeout() || t_branch_replied() || !ds_next_dst()) exit;
  t_on_failure("LOST_TOO");
  t_relay();
}
`;

const toWorker = (
  { callsPerSecond }: EdgeSettings,
  hasMedia: boolean,
): string => `# A new call or a registration: to the worker that its Call-ID chooses, or to the next one that is alive.
route[TO_WORKER] {
  if (is_method("INVITE") && !pl_check("calls", "taildrop", "${callsPerSecond}")) {
    append_to_reply("Retry-After: 1\\r\\n");
    sl_send_reply("503", "Too many calls");
    exit;
  }
  # A route that the sender made up must not lead anywhere.
  remove_hf("Route");
  append_hf("${sourceHeader}: $pr $si $sp\\r\\n");
  if (is_method("REGISTER")) add_path_received();
  else {
    if (nat_uac_test("19")) set_contact_alias();
${
  hasMedia
    ? `    setflag(1);
    record_route();
    add_rr_param(";media=yes");
    if (has_body("application/sdp")) rtpengine_manage("${mediaFlags}");
`
    : '    record_route();\n'
}  }
  if (!ds_select_dst("1", "0")) {
    append_to_reply("Retry-After: 5\\r\\n");
    sl_send_reply("503", "No worker");
    exit;
  }
  t_on_reply("RELAYED");
  t_on_failure("NEXT_WORKER");
  if (!t_relay()) sl_reply_error();
}
`;

const fromWorker = (
  hasMedia: boolean,
): string => `# A worker calls a phone that has registered through this edge: the Path of its registration is the route. A route that
# comes before there is a dialog counts as preloaded, for which loose_route() is never true.
route[FROM_WORKER] {
  if (!loose_route_preloaded()) {
    sl_send_reply("404", "No route");
    exit;
  }
  if (is_method("INVITE")) {
    record_route();
${
  hasMedia
    ? `    setflag(1);
    add_rr_param(";media=yes");
    if (has_body("application/sdp")) rtpengine_manage("${mediaFlags}");
    t_on_failure("PHONE_REFUSED");
`
    : ''
}  }
  t_on_reply("RELAYED");
  # A phone may need longer than a worker for its first response.
  t_set_fr(240000, 5000);
  if (!t_relay()) sl_reply_error();
}
`;

const replies = (hasMedia: boolean): string => `onreply_route[RELAYED] {
  if (is_method("INVITE|UPDATE") && nat_uac_test("1")) set_contact_alias();
${
  hasMedia
    ? `  if (isflagset(1) && has_body("application/sdp")) rtpengine_manage("${mediaFlags}");
`
    : ''
}}
`;

const nextWorker = (
  hasMedia: boolean,
): string => `# A worker that is dead, stops, or has too many calls (503 with Retry-After): new calls go to the next one.
failure_route[NEXT_WORKER] {
  if (t_is_canceled()) exit;
  if (t_branch_timeout() && !t_branch_replied()) {
    ds_mark_dst("ip");
    route(TRY_NEXT);
  } else if (t_check_status("503") && $T_rpl($hdr(Retry-After)) != $null) {
    route(TRY_NEXT);
  }
${hasMedia ? '  if (isflagset(1) && is_method("INVITE")) rtpengine_delete();\n' : ''}}
${hasMedia ? phoneRefused : ''}
route[TRY_NEXT] {
  if (!ds_next_dst()) return;
  t_on_reply("RELAYED");
  t_on_failure("NEXT_WORKER");
  t_relay();
  exit;
}
`;

const phoneRefused = `
failure_route[PHONE_REFUSED] {
  rtpengine_delete();
}
`;
