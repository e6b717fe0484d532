"""A team's tables, as forward-only migration steps: a running server may be older than the tables, never newer.

Every table has the tenant in its key. Which tenant a connection belongs to follows from the role that signed in
(`tenant_role`), so no setting of a connection leads to another one's rows. Servers' roles neither own the tables nor
may bypass row-level security, and can't change a line of a journal or remove one, other than a checkpoint.
"""

_TENANT = "tenant text NOT NULL DEFAULT handrail.current_tenant()"

_BASE = f"""
CREATE TABLE tenant_role (role name PRIMARY KEY, tenant text NOT NULL);
CREATE FUNCTION current_tenant() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = handrail AS
  'SELECT tenant FROM handrail.tenant_role WHERE role = session_user';

CREATE TABLE token (
  {_TENANT}, fingerprint text, caller text NOT NULL, method text NOT NULL, params_digest text NOT NULL,
  deadline timestamptz NOT NULL, used_at timestamptz, PRIMARY KEY (tenant, fingerprint)
);
CREATE INDEX token_deadline ON token (tenant, deadline);
CREATE TABLE claimed ({_TENANT}, key text, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (tenant, key));
CREATE TABLE consent (
  {_TENANT}, id text, caller text NOT NULL, app text NOT NULL, app_name text NOT NULL, tool text NOT NULL,
  digest text NOT NULL, at text NOT NULL, by text NOT NULL, program text NOT NULL, PRIMARY KEY (tenant, id)
);
CREATE TABLE task_grant (
  {_TENANT}, id text, "grant" bytea NOT NULL, caller text NOT NULL, at text NOT NULL, by text NOT NULL,
  identity text, task text, PRIMARY KEY (tenant, id)
);
CREATE INDEX task_grant_of ON task_grant (tenant, identity, task);
CREATE TABLE asked ({_TENANT}, number bigserial, who text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, number));
CREATE INDEX asked_by ON asked (tenant, who, at);
CREATE TABLE task_owner (
  {_TENANT}, task text, identity text NOT NULL, agent text NOT NULL, at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, task)
);
CREATE TABLE rule ({_TENANT}, number bigserial, rule bytea NOT NULL, remark text NOT NULL DEFAULT '',
  PRIMARY KEY (tenant, number));

CREATE TABLE journal_head (
  {_TENANT}, journal text, size bigint NOT NULL DEFAULT 0, mark bytea, PRIMARY KEY (tenant, journal)
);
CREATE TABLE journal_line (
  {_TENANT}, journal text, start bigint, line bytea NOT NULL, PRIMARY KEY (tenant, journal, start)
);
ALTER TABLE journal_line ALTER COLUMN line SET STORAGE EXTERNAL;

CREATE TABLE prompt_origin (
  {_TENANT}, request_id text, by text NOT NULL, is_own boolean NOT NULL, shown text, waits boolean NOT NULL,
  about bytea, PRIMARY KEY (tenant, request_id)
);
CREATE TABLE prompt_answerer ({_TENANT}, request_id text, by text NOT NULL, PRIMARY KEY (tenant, request_id));
CREATE TABLE waiter (
  {_TENANT}, number bigserial, request_id text NOT NULL, server text NOT NULL, PRIMARY KEY (tenant, number)
);
CREATE INDEX waiter_for ON waiter (tenant, request_id);

CREATE TABLE member (
  {_TENANT}, id text, name text NOT NULL, role text NOT NULL, limits bytea NOT NULL, owner text NOT NULL DEFAULT '',
  token_hash text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), created_by text NOT NULL DEFAULT '',
  revoked_at timestamptz, PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX member_name ON member (tenant, name) WHERE revoked_at IS NULL;
CREATE TABLE session (
  {_TENANT}, cookie_hash text, page_hash text NOT NULL, member text NOT NULL, user_agent text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, PRIMARY KEY (tenant, cookie_hash)
);
CREATE TABLE sign_in_code (
  {_TENANT}, code_hash text, member text NOT NULL, expires_at timestamptz NOT NULL, PRIMARY KEY (tenant, code_hash)
);
CREATE TABLE sign_in_attempt (
  {_TENANT}, state_hash text, nonce text NOT NULL, verifier text NOT NULL, expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, state_hash)
);
CREATE TABLE access_version ({_TENANT}, version bigint NOT NULL DEFAULT 0, PRIMARY KEY (tenant));
CREATE FUNCTION access_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = handrail AS $$
BEGIN
  INSERT INTO access_version (tenant, version) VALUES (current_tenant(), 1)
    ON CONFLICT (tenant) DO UPDATE SET version = access_version.version + 1;
  PERFORM pg_notify(channel(), 'access');
  RETURN NULL;
END $$;
CREATE FUNCTION channel() RETURNS text LANGUAGE sql STABLE SET search_path = handrail AS
  $$ SELECT 'handrail_' || md5(current_tenant()) $$;
CREATE TRIGGER member_changed AFTER INSERT OR UPDATE OR DELETE ON member
  FOR EACH STATEMENT EXECUTE FUNCTION access_changed();
CREATE TRIGGER rule_changed AFTER INSERT OR UPDATE OR DELETE ON rule
  FOR EACH STATEMENT EXECUTE FUNCTION access_changed();
CREATE TRIGGER session_changed AFTER INSERT OR UPDATE OR DELETE ON session
  FOR EACH STATEMENT EXECUTE FUNCTION access_changed();

CREATE TABLE approval_rule (
  {_TENANT}, id text, limits bytea NOT NULL, votes integer NOT NULL CHECK (votes >= 1),
  created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (tenant, id)
);
CREATE TABLE vote (
  {_TENANT}, request_id text, member text, name text NOT NULL, answer text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (tenant, request_id, member)
);
CREATE TABLE lease (
  {_TENANT}, name text, holder text NOT NULL, epoch bigint NOT NULL, until timestamptz NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE FUNCTION hold_journal(named text, patience_ms integer, durable boolean, OUT size bigint, OUT mark bytea)
LANGUAGE plpgsql SET search_path = handrail AS $$
BEGIN
  PERFORM set_config('lock_timeout', patience_ms::text, true);
  IF NOT durable THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
  INSERT INTO journal_head (journal) VALUES (named) ON CONFLICT DO NOTHING;
  SELECT h.size, h.mark INTO hold_journal.size, hold_journal.mark FROM journal_head h
    WHERE h.journal = named AND h.tenant = current_tenant() FOR UPDATE;
END $$;
CREATE FUNCTION append_journal_after(
  named text, patience_ms integer, durable boolean, old_size bigint, old_mark bytea,
  starts bigint[], lines bytea[], new_size bigint, new_mark bytea
) RETURNS boolean LANGUAGE plpgsql SET search_path = handrail AS $$
DECLARE head record;
BEGIN
  SELECT * INTO head FROM hold_journal(named, patience_ms, durable);
  IF head.size <> old_size OR head.mark IS DISTINCT FROM old_mark THEN RETURN false; END IF;
  PERFORM append_journal(named, starts, lines, new_size, new_mark);
  RETURN true;
END $$;
CREATE FUNCTION append_journal(named text, starts bigint[], lines bytea[], new_size bigint, new_mark bytea)
RETURNS void LANGUAGE plpgsql SET search_path = handrail AS $$
BEGIN
  INSERT INTO journal_line (journal, start, line) SELECT named, * FROM unnest(starts, lines);
  UPDATE journal_head SET size = new_size, mark = new_mark WHERE journal = named AND tenant = current_tenant();
  IF named = 'prompts' THEN PERFORM pg_notify(channel(), 'prompts'); END IF;
END $$;
"""

_NODES = f"""
CREATE TABLE node (
  {_TENANT}, id text, seen_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (tenant, id)
);
CREATE TABLE node_question (
  {_TENANT}, node text, request_id text, answer bytea, opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  closed_at timestamptz, PRIMARY KEY (tenant, node, request_id)
);
CREATE INDEX node_question_open ON node_question (tenant, node) WHERE closed_at IS NULL;
CREATE FUNCTION node_asked() RETURNS trigger LANGUAGE plpgsql SET search_path = handrail AS $$
BEGIN
  PERFORM pg_notify(channel(), 'nodes');
  RETURN NULL;
END $$;
CREATE TRIGGER node_answered AFTER UPDATE OF answer ON node_question
  FOR EACH STATEMENT EXECUTE FUNCTION node_asked();
CREATE TRIGGER approval_rule_changed AFTER INSERT OR UPDATE OR DELETE ON approval_rule
  FOR EACH STATEMENT EXECUTE FUNCTION access_changed();
"""

_BROWSERS = f"""
CREATE TABLE browser_task (
  {_TENANT}, task_id text, title text NOT NULL, status text NOT NULL, created_at bigint NOT NULL,
  updated_at bigint NOT NULL, selected_client_id text, is_archived boolean NOT NULL DEFAULT false, is_reading boolean,
  PRIMARY KEY (tenant, task_id)
);
CREATE INDEX browser_task_by_change ON browser_task (tenant, updated_at, task_id);
CREATE TABLE browser_caller ({_TENANT}, caller text, task_id text NOT NULL, PRIMARY KEY (tenant, caller));
CREATE TABLE browser_action (
  {_TENANT}, action_id text, task_id text NOT NULL, client_id text NOT NULL, actions bytea NOT NULL,
  created_at bigint NOT NULL, trace_id text, status text, result bytea, error bytea, ended_at bigint,
  server text NOT NULL, PRIMARY KEY (tenant, action_id)
);
CREATE INDEX browser_action_under_way ON browser_action (tenant, client_id) WHERE status IS NULL;
CREATE INDEX browser_action_by_end ON browser_action (tenant, ended_at);
CREATE INDEX browser_action_in_task ON browser_action (tenant, task_id, ended_at);
CREATE TABLE browser_plugin (
  {_TENANT}, client_id text, record bytea NOT NULL, server text NOT NULL DEFAULT '',
  is_connected boolean NOT NULL DEFAULT false, is_chosen boolean NOT NULL DEFAULT false, selected_at timestamptz,
  PRIMARY KEY (tenant, client_id)
);
CREATE INDEX browser_plugin_there ON browser_plugin (tenant, is_chosen DESC, selected_at NULLS FIRST)
  WHERE is_connected;
CREATE TABLE browser_pairing (
  {_TENANT}, client_id text, extension_id text NOT NULL, name text NOT NULL, token_hash text NOT NULL,
  created_at bigint NOT NULL, is_launched boolean NOT NULL, is_enrolled boolean NOT NULL,
  PRIMARY KEY (tenant, client_id)
);
CREATE TRIGGER browser_pairing_changed AFTER INSERT OR UPDATE OR DELETE ON browser_pairing
  FOR EACH STATEMENT EXECUTE FUNCTION access_changed();
CREATE TABLE pairing_code (
  {_TENANT}, code_hash text, expires_at timestamptz NOT NULL, PRIMARY KEY (tenant, code_hash)
);
CREATE TABLE browser_artifact (
  {_TENANT}, artifact_id text, task_id text NOT NULL, kind text NOT NULL, content_type text NOT NULL,
  name text NOT NULL, token_hash text NOT NULL, upload_until bigint NOT NULL, kept_until bigint NOT NULL,
  digest text, size bigint NOT NULL, PRIMARY KEY (tenant, artifact_id)
);
CREATE INDEX browser_artifact_by_time ON browser_artifact (tenant, kept_until);
CREATE TABLE agent_run (
  {_TENANT}, task_id text, status text NOT NULL, run bytea NOT NULL, PRIMARY KEY (tenant, task_id)
);
CREATE INDEX agent_run_unfinished ON agent_run (tenant, task_id) WHERE status IN ('running', 'paused');
CREATE TABLE agent_picture (
  {_TENANT}, number bigserial, task_id text NOT NULL, execution_id text NOT NULL, mime text NOT NULL,
  data bytea NOT NULL, PRIMARY KEY (tenant, number)
);
CREATE INDEX agent_picture_of_task ON agent_picture (tenant, task_id, number);
CREATE TABLE conversation (
  {_TENANT}, number bigserial, task_id text NOT NULL, kind text NOT NULL, message_id text, text text NOT NULL,
  turn bytea NOT NULL, sent_at bigint, at bigint NOT NULL, is_past boolean NOT NULL, PRIMARY KEY (tenant, number)
);
CREATE INDEX conversation_in_order ON conversation (tenant, task_id, number);
CREATE UNIQUE INDEX conversation_messages ON conversation (tenant, task_id, message_id);
"""

_PUSH = f"""
CREATE TABLE push_subscription (
  {_TENANT}, id text, endpoint text NOT NULL, p256dh text NOT NULL, auth text NOT NULL, member text NOT NULL,
  user_agent text NOT NULL DEFAULT '', created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (tenant, id)
);
ALTER TABLE node ADD COLUMN policy text NOT NULL DEFAULT '', ADD COLUMN version text NOT NULL DEFAULT '';
"""

TABLES = (
    "token", "claimed", "consent", "task_grant", "asked", "task_owner", "rule", "journal_head", "journal_line",
    "prompt_origin", "prompt_answerer", "waiter", "member", "session", "sign_in_code", "sign_in_attempt",
    "access_version", "approval_rule", "vote", "lease", "node", "node_question", "browser_task", "browser_caller",
    "browser_action", "browser_plugin", "browser_pairing", "pairing_code", "browser_artifact", "agent_run",
    "agent_picture", "conversation", "push_subscription",
)  # fmt: skip
"""Those with rows of tenants. Row-level security is on for each of them."""

_OWNER = "".join(f"ALTER TABLE IF EXISTS {table} NO FORCE ROW LEVEL SECURITY;\n" for table in TABLES)
"""The owner, who needn't be a superuser, backs up and upgrades the rows of all tenants. The order of the tables is that
in which servers lock them: an upgrade that locks them in another one ends in a deadlock with a server's write.
"""

STEPS = (_BASE, _NODES, _BROWSERS, _PUSH, _OWNER)
"""Never changed once released: what is to be different is a further step."""

APPEND_ONLY = frozenset({"journal_line", "vote", "prompt_origin", "claimed"})
"""Servers add to these, and neither change nor remove what is there."""
