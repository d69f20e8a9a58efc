// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTransport

/// The parts of a request that mappings of its response can read as `@metadata`.
///
/// The document has one shape for all requests; absent parts are left out:
///
/// ```text
/// HTTP.request.method, HTTP.request.URL, HTTP.request.headers
/// HTTP.response.status, HTTP.response.URL, HTTP.response.headers
/// network.arguments          arguments of the response descriptor's path pattern
/// routing.parameters         values of the route's parameters, by key path
/// routing.route              name, path pattern and method of the route
/// query.parameters           the parameters of the request
/// ```
///
/// The caller's own metadata is merged with it, and replaces its values.
struct RequestMetadata: Sendable {
    /// The parameters of the request; `nil` if there are none.
    var parameters: Document?

    /// The object `routing`; `nil` if no route was used.
    var routing: Document?

    /// The caller's own values.
    var custom: Document = [:]

    /// Credentials, which mappings cannot read.
    private static let hiddenFields: Set<HTTPField.Name> = [
        .authorization, .proxyAuthorization, .cookie, .setCookie,
    ]

    /// Returns the metadata of a response.
    ///
    /// - Parameters:
    ///   - request: The request as it was assembled.
    ///   - defaults: The default header fields of requests.
    ///   - response: The response.
    ///   - matches: The parts of the document that descriptors match.
    /// - Returns: An object.
    func document(
        for request: TransportRequest, defaults: HTTPFields, response: ObjectResponse,
        matches: [ResponseMatch]
    ) -> Document {
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.object("HTTP") { builder in
            builder.object("request") { builder in
                builder.text("method", request.method.rawValue)
                builder.text("URL", request.url.requestText)
                builder.fields(defaults, replacedBy: request.headerFields)
            }
            builder.object("response") { builder in
                builder.key("status")
                builder.number(response.head.status.code)
                builder.text("URL", response.url.requestText)
                builder.fields(response.head.headerFields, replacedBy: [:])
            }
        }
        if let routing {
            builder.key("routing")
            builder.value(routing.root)
        }
        if let parameters {
            builder.object("query") { builder in
                builder.key("parameters")
                builder.value(parameters.root)
            }
        }
        builder.end()
        let document = matches.reduce(builder.finish()) { $0.merging(Self.arguments(of: $1)) }
        return custom.isEmptyObject ? document : document.merging(custom)
    }

    static func isHidden(_ name: HTTPField.Name) -> Bool { hiddenFields.contains(name) }

    /// Returns the arguments of a match, nested in objects for the keys of its key path.
    private static func arguments(of match: ResponseMatch) -> Document {
        guard !match.arguments.isEmpty else { return [:] }
        let keys = match.descriptor.keyPath.components.map { component in
            switch component {
            case .key(let key): key
            case .index(let index): "\(index)"
            }
        }
        var builder = DocumentBuilder()
        builder.beginObject()
        for key in ["network", "arguments"] + keys {
            builder.key(key)
            builder.beginObject()
        }
        for name in match.arguments.names {
            builder.text(name, match.arguments[name] ?? "")
        }
        for _ in 0..<(keys.count + 3) { builder.end() }
        return builder.finish()
    }
}

extension DocumentBuilder {
    fileprivate mutating func object(
        _ name: String, _ content: (inout DocumentBuilder) -> Void
    ) {
        key(name)
        beginObject()
        content(&self)
        end()
    }

    fileprivate mutating func text(_ name: String, _ text: String) {
        key(name)
        string(text)
    }

    /// Adds header fields as the object `headers`.
    ///
    /// HTTP/2 sends names in lower case, HTTP/1.1 as the server spells them. Each field is therefore
    /// present by its name as sent, in lower case, and with capitals as in `Content-Type`.
    fileprivate mutating func fields(_ fields: HTTPFields, replacedBy others: HTTPFields) {
        var values: [String: String] = [:]
        for field in fields where !others.contains(field.name) {
            Self.add(field.name, fields, to: &values)
        }
        for field in others { Self.add(field.name, others, to: &values) }
        object("headers") { builder in
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                builder.text(name, value)
            }
        }
    }

    private static func add(
        _ name: HTTPField.Name, _ fields: HTTPFields, to values: inout [String: String]
    ) {
        guard !RequestMetadata.isHidden(name), let value = fields[name] else { return }
        let words = name.canonicalName.split(separator: "-", omittingEmptySubsequences: false)
        let capitalized = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        for spelling in [name.rawName, name.canonicalName, capitalized.joined(separator: "-")] {
            values[spelling] = value
        }
    }
}
