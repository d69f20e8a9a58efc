// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionChecker {
    mutating func checkAPI() {
        let api = definition.api
        checkBase(api.base)
        checkHeaders(api.headers, ["api"])
        checkParameters(api.parameters, ["api"])
        for template in api.parameters.map(\.value) + api.headers.compactMap(\.template)
        where template.constantText == nil {
            report(
                .conflict, ["api"],
                "`\(template)` contains a placeholder, but the API has no parents",
                "move it into the resources with parents")
        }
        checkBudget(api.budget)
        checkResponses(api.responses, ["api"])
        if let pagination = api.pagination {
            check(pagination, of: nil, ["api", "pagination"])
            if !definition.resources.contains(where: { $0.pagination == nil }) {
                reportNoEffect(["api", "pagination"], "because every resource has its own")
            }
        }
        if api.format != .json, !definition.resources.isEmpty,
            definition.resources.allSatisfy({ $0.format != nil })
        {
            reportNoEffect(["api", "format"], "because every resource has its own")
        }
        checkAuthentication(api.authentication)
    }

    private mutating func checkBase(_ base: String) {
        let advice = "write an absolute URL such as `https://api.example.com/v1/`"
        guard let separator = base.firstRange(of: "://") else {
            return report(
                .invalidValue, ["api", "base"], "`\(base)` is not an absolute URL", advice)
        }
        let scheme = base[..<separator.lowerBound].lowercased()
        let rest = base[separator.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if scheme != "https" && scheme != "http" {
            report(
                .invalidValue, ["api", "base"], "the scheme `\(scheme)` is not supported", advice)
        }
        if authority.contains("@") {
            report(
                .exposedSecret, ["api", "base"], "the URL contains a user or a password",
                "remove it and write `auth: {type: basic, username: …, password: $NAME}`")
        } else if authority.isEmpty || authority.contains(where: \.isWhitespace) {
            report(.invalidValue, ["api", "base"], "the URL has no valid host", advice)
        }
        if rest.contains("?") || rest.contains("#") {
            report(
                .invalidValue, ["api", "base"], "the URL contains a query or a fragment",
                "write the query under `parameters`")
        }
        if rest.contains("{") {
            report(
                .invalidValue, ["api", "base"], "the base URL contains a placeholder",
                "write placeholders in the paths of resources")
        }
    }

    /// Reports header fields with secrets in clear text, repeated ones, and those that `auth` replaces.
    mutating func checkHeaders(_ headers: [HeaderDefinition], _ keys: [String]) {
        var known: Set<String> = []
        for header in headers {
            let path = keys + ["headers", header.name]
            let name = header.name.lowercased()
            if !known.insert(name).inserted {
                report(.duplicateName, path, "the field is written twice", "remove one of them")
            }
            if name == "authorization", definition.api.authentication != .none {
                reportNoEffect(path, "because `auth` sets the field")
            }
            guard case .text(let template) = header.value else { continue }
            if SecretNames.isSecret(field: name), !template.parts.isEmpty {
                report(
                    .exposedSecret, path, "the value of `\(header.name)` is a secret",
                    name == "authorization"
                        ? "write `auth: {type: bearer, token: $NAME}`"
                        : "put it into a variable of the environment and write `$NAME`")
            }
        }
    }

    /// Reports parameters with secrets.
    mutating func checkParameters(_ parameters: [ParameterDefinition], _ keys: [String]) {
        for parameter in parameters where SecretNames.isSecret(parameter: parameter.name) {
            report(
                .exposedSecret, keys + ["parameters", parameter.name],
                "the value of `\(parameter.name)` is a secret",
                "write `auth: {type: key, location: query, name: \(parameter.name), secret: $NAME}`"
            )
        }
    }

    private mutating func checkBudget(_ budget: BudgetDefinition) {
        let keys = ["api", "budget"]
        if budget.windows.contains(where: { $0.duration <= .zero }) {
            report(
                .invalidValue, keys + ["windows"], "a window has no length",
                "write a length such as `per: 1h`")
        }
    }

    /// Reports rules without a condition and those that an earlier rule hides.
    mutating func checkResponses(_ rules: [ResponseRule], _ keys: [String]) {
        var hiding: [ResponseRule] = []
        for (index, rule) in rules.enumerated() {
            let path = keys + ["responses", String(index)]
            if rule.statusCodes.isEmpty, rule.conditions.isEmpty {
                report(
                    .invalidValue, path, "the rule applies to every response",
                    "write `status`, `where` or both")
            }
            if let earlier = hiding.first(where: { $0.hides(rule) }) {
                reportNoEffect(
                    path,
                    "because an earlier rule (`action: \(earlier.action.rawValue)`) applies first",
                    "move the rule up, or remove it")
            }
            let authentication = definition.api.authentication
            if rule.action == .refresh, !authentication.isRefreshable {
                reportNoEffect(
                    path, "because `refresh` needs credentials that can be refreshed",
                    "write `action: fail`, or `auth` with `type: client_credentials` or `refresh_token`"
                )
            }
            hiding.append(rule)
        }
    }

    private mutating func checkAuthentication(_ authentication: AuthenticationDefinition) {
        let keys = ["api", "auth"]
        switch authentication {
        case .key(let key):
            if key.placement == .header, !DefinitionKeys.isFieldName(key.name) {
                report(
                    .invalidValue, keys + ["name"],
                    "`\(key.name)` is not the name of a header field",
                    "write a name such as `X-API-Key`")
            }
            if key.placement == .query, !key.prefix.isEmpty {
                reportNoEffect(keys + ["prefix"], "with `location: query`")
            }
        case .basic(_, .text(let password)) where !password.isEmpty:
            report(
                .exposedSecret, keys + ["password"], "a secret is written in the definition",
                "put it into a variable of the environment and write `$NAME`")
        case .clientCredentials(let client), .refreshToken(_, let client):
            if client.tokenURL.lowercased().hasPrefix("http://") {
                report(
                    .exposedSecret, keys + ["token_url"],
                    "secrets would be sent without encryption",
                    "write an `https` URL")
            }
        default: break
        }
    }
}

extension HeaderDefinition {
    /// The text of the field; `nil` for a secret.
    var template: Template? { if case .text(let template) = value { template } else { nil } }
}

extension AuthenticationDefinition {
    fileprivate var isRefreshable: Bool {
        switch self {
        case .clientCredentials, .refreshToken: true
        case .none, .bearer, .key, .basic: false
        }
    }
}

extension ResponseRule {
    /// Returns a Boolean value that indicates whether the rule applies to all responses of another one.
    fileprivate func hides(_ other: ResponseRule) -> Bool {
        guard conditions.isEmpty || conditions == other.conditions else { return false }
        if statusCodes.isEmpty { return true }
        return !other.statusCodes.isEmpty
            && other.statusCodes.allSatisfy { codes in
                statusCodes.contains {
                    $0.contains(codes.lowerBound) && $0.contains(codes.upperBound)
                }
            }
    }
}

/// The names of header fields and parameters that contain secrets.
package enum SecretNames {
    private static let fields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key",
        "apikey", "x-auth-token", "x-access-token", "x-csrf-token", "x-xsrf-token",
        "x-amz-security-token", "private-token", "x-gitlab-token", "x-shopify-access-token",
    ]

    private static let parameters: Set<String> = [
        "access_token", "api_key", "apikey", "api-key", "auth", "auth_token", "client_secret",
        "password", "private_token", "secret", "sig", "signature", "token", "refresh_token",
        "id_token", "session", "sessionid", "code", "jwt", "x-amz-signature",
        "x-amz-credential", "x-amz-security-token",
    ]

    /// Returns a Boolean value that indicates whether a header field contains a secret.
    package static func isSecret(field name: String) -> Bool {
        let name = name.lowercased()
        return fields.contains(name) || name.hasSuffix("-token") || name.hasSuffix("-secret")
            || name.hasSuffix("-api-key")
    }

    /// Returns a Boolean value that indicates whether a parameter contains a secret.
    ///
    /// `code` and `session` can be names of data and are secrets in recorded traffic only.
    package static func isSecret(parameter name: String, inTraffic: Bool = false) -> Bool {
        let name = name.lowercased()
        let isAmbiguous = ["code", "session", "auth", "signature", "token"].contains(name)
        return parameters.contains(name) && (inTraffic || !isAmbiguous || name == "token")
    }
}
