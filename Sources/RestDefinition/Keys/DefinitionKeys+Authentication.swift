// SPDX-License-Identifier: Apache-2.0

extension DefinitionKeys {
    /// The credentials: `none`, a bearer token, or a mapping with a type.
    static let authentication = ValueCoder<AuthenticationDefinition>.either(
        [
            ValueCoder<String>.text.map(
                read: { text, source, context in
                    if text == "none" { return AuthenticationDefinition.none }
                    return ValueCoder<Secret>.secret.read(source, &context).map { .bearer([$0]) }
                },
                write: { $0 == .none ? "none" : nil }),
            typedAuthentication,
        ], expectation: "`none`, `$NAME` of a bearer token, or a mapping with `type`")

    /// The keys of all types of credentials.
    struct AuthenticationKeys: Sendable {
        var type = ""
        var tokens: [Secret] = []
        var name = ""
        var location = KeyCredential.Placement.header
        var secrets: [Secret] = []
        var prefix = ""
        var username = Credential.text("")
        var password = Credential.text("")
        var refreshToken = Secret.environment("")
        var tokenURL = ""
        var clientID: Credential?
        var clientSecret: Secret?
        var scopes: [String] = []

        var client: OAuthClient {
            OAuthClient(
                tokenURL: tokenURL, identifier: clientID, secret: clientSecret, scopes: scopes)
        }

        mutating func set(_ client: OAuthClient) {
            tokenURL = client.tokenURL
            clientID = client.identifier
            clientSecret = client.secret
            scopes = client.scopes
        }
    }

    private static let cases: [ObjectSchema.Case] = [
        .init("bearer", "Bearer tokens.", required: ["token"]),
        .init(
            "key", "A key in a header field or in the query.", required: ["name", "secret"],
            optional: ["location", "prefix"]),
        .init("basic", "A user name and a password.", required: ["username", "password"]),
        .init(
            "client_credentials", "An OAuth 2.0 client.",
            required: ["token_url", "client_id", "client_secret"], optional: ["scopes"]),
        .init(
            "refresh_token", "An OAuth 2.0 refresh token.",
            required: ["token_url", "refresh_token"],
            optional: ["client_id", "client_secret", "scopes"]),
    ]

    private static let typedAuthentication: ValueCoder<AuthenticationDefinition> = ValueCoder<
        AuthenticationKeys
    >.object(
        "auth", AuthenticationKeys(),
        [
            .type(\.type, cases, "The kind of credentials."),
            .optional(
                "token", \.tokens, .oneOrMany(.secret), default: [],
                "The token; of several, each request uses the one with the largest remaining budget."
            ),
            .optional(
                "name", \.name, .text, default: "", "The name of the header field or parameter."),
            .optional(
                "location", \.location, .choice, default: .header, "The place of the key."),
            .optional("secret", \.secrets, .oneOrMany(.secret), default: [], "The key."),
            .optional(
                "prefix", \.prefix, .text, default: "", "The text before the key, such as `Token `."
            ),
            .optional(
                "username", \.username, .credential, default: .text(""), "The user name."),
            .optional(
                "password", \.password, .credential, default: .text(""), "The password."),
            .optional(
                "token_url", \.tokenURL, .text, default: "", "The URL of the token endpoint."),
            .optional(
                "refresh_token", \.refreshToken, .secret, default: .environment(""),
                "The refresh token; if the server rotates it, the file gets the new one."),
            .optional("client_id", \.clientID, .credential, "The identifier of the client."),
            .optional("client_secret", \.clientSecret, .secret, "The secret of the client."),
            .optional("scopes", \.scopes, .list(.text), default: [], "The scopes to request."),
        ], cases: cases
    ).map(
        read: { keys, _, _ in
            switch keys.type {
            case "bearer": keys.tokens.isEmpty ? nil : .bearer(keys.tokens)
            case "key":
                keys.secrets.isEmpty
                    ? nil
                    : .key(
                        KeyCredential(
                            name: keys.name, in: keys.location, secrets: keys.secrets,
                            prefix: keys.prefix))
            case "basic": .basic(user: keys.username, password: keys.password)
            case "client_credentials": .clientCredentials(keys.client)
            case "refresh_token": .refreshToken(keys.refreshToken, client: keys.client)
            default: nil
            }
        },
        write: { authentication in
            var keys = AuthenticationKeys()
            switch authentication {
            case .none: return nil
            case .bearer(let tokens):
                keys.type = "bearer"
                keys.tokens = tokens
            case .key(let key):
                keys.type = "key"
                keys.name = key.name
                keys.location = key.placement
                keys.secrets = key.secrets
                keys.prefix = key.prefix
            case .basic(let user, let password):
                keys.type = "basic"
                keys.username = user
                keys.password = password
            case .clientCredentials(let client):
                keys.type = "client_credentials"
                keys.set(client)
            case .refreshToken(let token, let client):
                keys.type = "refresh_token"
                keys.refreshToken = token
                keys.set(client)
            }
            return keys
        })
}

extension ObjectKey {
    /// Returns the key `type`, which decides which other keys there are.
    static func type(
        _ property: any WritableKeyPath<Object, String> & Sendable, _ cases: [ObjectSchema.Case],
        _ summary: String
    ) -> ObjectKey {
        let names = cases.map(\.type)
        let coder = ValueCoder<String>(
            .choice(names), [.scalar], expectation: Spelling.alternatives(names),
            read: { source, context in
                let text = source.scalarText ?? ""
                if names.contains(text) { return text }
                context.report(
                    .invalidValue, at: source.location, "`\(text)` is not a known type",
                    advice: Spelling.advice(for: text, among: names))
                return nil
            }, write: { .text($0) })
        return .required("type", property, coder, summary)
    }
}
