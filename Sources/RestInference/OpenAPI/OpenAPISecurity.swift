// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// The credentials that an OpenAPI document requires.
struct OpenAPISecurity {
    let authentication: AuthenticationDefinition

    init(_ document: SourceValue, _ resolver: OpenAPIResolver) {
        let schemes = document["components"]?["securitySchemes"]?.pairs ?? []
        let required = (document["security"]?.elements ?? []).flatMap { $0.pairs ?? [] }.map(\.key)
        let operations = (document["paths"]?.pairs ?? []).compactMap {
            $0.value["get"]?["security"]?.elements
        }
        .flatMap { $0.flatMap { $0.pairs ?? [] } }.map(\.key)
        // The requirement of most operations, if there is none for all.
        let wanted = required.first ?? operations.first
        let scheme = schemes.first { $0.key == wanted } ?? (wanted == nil ? nil : schemes.first)
        authentication =
            scheme.map { Self.authentication($0.key, resolver.dereferenced($0.value).value) }
            ?? .none
    }

    private static func authentication(_ name: String, _ scheme: SourceValue)
        -> AuthenticationDefinition
    {
        let secret = Secret.environment(Words.words(of: name).joined(separator: "_").uppercased())
        switch (scheme["type"]?.text, scheme["scheme"]?.text?.lowercased()) {
        case ("http", "basic"):
            return .basic(
                user: .secret(.environment("API_USER")),
                password: .secret(.environment("API_PASSWORD")))
        case ("http", _), ("openIdConnect", _): return .bearer([secret])
        case ("apiKey", _):
            let placement = scheme["in"]?.text
            guard placement != "cookie", let key = scheme["name"]?.text else { return .none }
            return .key(
                KeyCredential(
                    name: key, in: placement == "query" ? .query : .header, secrets: [secret]))
        case ("oauth2", _):
            guard let url = scheme["flows"]?["clientCredentials"]?["tokenUrl"]?.text else {
                return .bearer([secret])
            }
            let scopes = scheme["flows"]?["clientCredentials"]?["scopes"]?.pairs?.map(\.key) ?? []
            return .clientCredentials(
                OAuthClient(
                    tokenURL: url, identifier: .secret(.environment("CLIENT_ID")),
                    secret: .environment("CLIENT_SECRET"), scopes: scopes))
        default: return .none
        }
    }
}
