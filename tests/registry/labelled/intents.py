"""Labelled intents, written before the score was tuned.

REUSE: the entity does what is requested. ADAPT: it does something of the same kind, with a part exchanged. CREATE:
nothing existing is worth starting from. For ADAPT any of the named entities is right.
"""

from typing import Literal, NamedTuple


class Labelled(NamedTuple):
    """An intent, the right decision, and the right entities."""

    registry: str
    intent: str
    decision: Literal["REUSE", "ADAPT", "CREATE"]
    right: tuple[str, ...] = ()


def _of(registry: str, *rows: tuple[str, str, str]) -> list[Labelled]:
    return [Labelled(registry, intent, decision, tuple(right.split())) for intent, decision, right in rows]  # pyrefly: ignore[bad-argument-type]


INTENTS = [
    *_of(
        "specification",
        ("I need an agent that extracts requirements from the user in elicitation phases", "REUSE", "agents/brief"),
        ("product requirements document template for a greenfield project", "REUSE", "templates/prd"),
        ("a schema to validate the session state", "REUSE", "schemas/session"),
        ("an agent that designs the user experience and interaction flows", "REUSE", "agents/ux"),
        ("deploy and configure CI/CD and infrastructure", "REUSE", "agents/devops"),
        ("break the PRD down into development phases, MVP first", "REUSE", "agents/phases"),
        ("task template with acceptance criteria", "REUSE", "templates/task"),
        ("full pipeline workflow for greenfield fullstack projects", "REUSE", "workflows/greenfield-fullstack"),
        ("JSON schema for memory entries' frontmatter", "REUSE", "schemas/memory"),
        ("who routes user requests to the right agent and handles deviations", "REUSE", "agents/orchestrator"),
        ("an architecture document template for a mobile app", "ADAPT", "templates/fullstack-architecture"),
        ("a PRD template for brownfield migrations", "ADAPT", "templates/brownfield-prd templates/prd"),
        ("a workflow for brownfield database changes", "ADAPT", "workflows/brownfield-service workflows/brownfield-ui"),
        ("JSON schema for the runtime state of the registry", "ADAPT", "schemas/session"),
        (
            "an agent that validates implementation against accessibility specifications",
            "ADAPT",
            "agents/qa-implementation",
        ),
        ("report template for a security gate", "ADAPT", "templates/qa-gate"),
        ("agent that analyzes existing codebases for security debt", "ADAPT", "agents/brownfield-wu"),
        ("create tests tasks with acceptance criteria from the bug reports", "ADAPT", "agents/tasks templates/task"),
        ("a helm chart for the payment service", "CREATE", ""),
        ("translate the documentation into French", "CREATE", ""),
        ("an agent that writes marketing emails", "CREATE", ""),
        ("load test for the websocket gateway", "CREATE", ""),
        ("template for invoices", "CREATE", ""),
        ("collect telemetry and draw dashboards", "CREATE", ""),
        ("configuration validator for the installation", "REUSE", "schemas/config"),
        ("wireframing and interface designer", "REUSE", "agents/ux"),
        ("decomposing a specification into milestones", "REUSE", "agents/phases"),
        ("deep analysis of a brownfield codebase's architectural debt", "REUSE", "agents/brownfield-wu"),
        ("checking consistency and traceability of the planning artifacts", "REUSE", "agents/qa-planning"),
        ("review of implemented code with tests", "REUSE", "agents/qa-implementation"),
        ("govern the agents' behaviour by articles", "REUSE", "governance/constitution"),
        ("deployments and releasing", "REUSE", "agents/devops"),
    ),
    *_of(
        "flask",
        ("function to build the url of an endpoint", "REUSE", "functions/url_for"),
        ("a helper that redirects to another location", "REUSE", "functions/redirect"),
        (
            "show flash messages to the user on the next request",
            "REUSE",
            "functions/flash functions/get_flashed_messages",
        ),
        ("send a file from a directory safely", "REUSE", "functions/send_from_directory"),
        ("store the session in a signed cookie", "REUSE", "classes/SecureCookieSessionInterface"),
        ("list all registered routes", "REUSE", "functions/routes_command"),
        ("render a template from a string", "REUSE", "functions/render_template_string"),
        ("class based view with a method per HTTP verb", "REUSE", "classes/MethodView"),
        ("test client for the application", "REUSE", "classes/FlaskClient"),
        ("load environment variables from a .env file", "REUSE", "functions/load_dotenv"),
        ("run a callback after the current request", "REUSE", "functions/after_this_request"),
        ("serialize dates and uuids to JSON with tags", "REUSE", "classes/TaggedJSONSerializer"),
        ("store sessions in redis", "ADAPT", "classes/SecureCookieSessionInterface"),
        ("send a file from an S3 bucket", "ADAPT", "functions/send_file functions/send_from_directory"),
        ("render a markdown file with a context", "ADAPT", "functions/render_template"),
        ("a command that lists the registered blueprints", "ADAPT", "functions/routes_command"),
        ("load settings from a TOML file", "ADAPT", "functions/load_dotenv classes/Config"),
        ("carry the request context into an asyncio task", "ADAPT", "functions/copy_current_request_context"),
        ("class based view for GraphQL requests", "ADAPT", "classes/View classes/MethodView"),
        ("keep the application context alive while a websocket streams", "ADAPT", "functions/stream_with_context"),
        ("rate limiting by client address", "CREATE", ""),
        ("hash passwords with argon2", "CREATE", ""),
        ("generate an OpenAPI description", "CREATE", ""),
        ("background job queue with retries", "CREATE", ""),
        ("database migrations", "CREATE", ""),
        ("compress images to thumbnails", "CREATE", ""),
        ("urlFor", "REUSE", "functions/url_for"),
        ("flashing notifications", "REUSE", "functions/flash functions/get_flashed_messages"),
        ("streaming responses from generators", "REUSE", "functions/stream_with_context"),
        ("an interactive REPL for the app", "REUSE", "functions/shell_command"),
        (
            "JSON serialization of tuples and datetimes",
            "REUSE",
            "classes/TaggedJSONSerializer classes/DefaultJSONProvider",
        ),
        ("config from prefixed env vars and objects", "REUSE", "classes/Config"),
        ("debugging server with reloading", "REUSE", "functions/run_command"),
        ("runner for testing CLI commands", "REUSE", "classes/FlaskCliRunner"),
        ("signalling exceptions to subscribers", "REUSE", "modules/signals"),
    ),
    *_of(
        "fastify",
        ("parse the content-type header", "REUSE", "modules/content-type"),
        ("validate a request's body and query against a schema", "REUSE", "modules/validation"),
        ("create a logger with child loggers for requests", "REUSE", "modules/logger-factory"),
        ("generate request ids", "REUSE", "modules/req-id-gen-factory"),
        ("answer unknown routes with a not found handler", "REUSE", "modules/four-oh-four"),
        ("run lifecycle hooks in order", "REUSE", "modules/hooks"),
        ("module that serializes errors to JSON", "REUSE", "modules/error-serializer"),
        ("expose HEAD routes for GET routes", "REUSE", "modules/head-route"),
        ("check the version and dependencies of a plugin", "REUSE", "modules/plugin-utils"),
        ("a promise with its resolve and reject functions", "REUSE", "modules/promise"),
        ("listen on several addresses and close the server", "REUSE", "modules/server"),
        ("store JSON schemas by id", "REUSE", "modules/schemas"),
        ("parse the accept-language header", "ADAPT", "modules/content-type"),
        ("body parser for XML content", "ADAPT", "modules/content-type-parser"),
        ("serialize errors to problem XML", "ADAPT", "modules/error-serializer"),
        ("expose OPTIONS routes for each route", "ADAPT", "modules/head-route"),
        ("generate trace ids from a header", "ADAPT", "modules/req-id-gen-factory"),
        ("validate the plugin's options and freeze them", "ADAPT", "modules/initial-config-validation"),
        ("create the logger of the job runner", "ADAPT", "modules/logger-factory"),
        ("choose the retry delay that an error is answered with", "ADAPT", "modules/error-status"),
        ("compress responses with gzip", "CREATE", ""),
        ("sign JWT tokens", "CREATE", ""),
        ("upload files to object storage", "CREATE", ""),
        ("cache query results in memory", "CREATE", ""),
        ("render server-side components", "CREATE", ""),
        ("schedule cron jobs", "CREATE", ""),
        ("not-found handling for missing routes", "REUSE", "modules/four-oh-four"),
        ("encapsulating plugins", "REUSE", "modules/plugin-override"),
        ("reqIdGenerator", "REUSE", "modules/req-id-gen-factory"),
        ("querystring and headers validator", "REUSE", "modules/validation"),
        (
            "freezing validated configuration defaults",
            "REUSE",
            "modules/initial-config-validation modules/config-validator",
        ),
        ("decorators that extend requests and replies", "REUSE", "modules/decorate"),
        ("serializer for errors", "REUSE", "modules/error-serializer"),
        ("deferred promises", "REUSE", "modules/promise"),
        ("routing constraints and registration", "REUSE", "modules/route"),
    ),
]
