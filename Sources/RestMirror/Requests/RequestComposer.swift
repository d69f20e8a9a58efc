// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDefinition
import RestDocument
import RestSyntax
import RestTransport

/// The composition of the requests of a list from a definition.
struct RequestComposer: Sendable {
    let api: APIDefinition
    let resource: ResourceDefinition
    let pagination: PaginationDefinition
    let base: HTTPURL
    /// The secrets of header fields by their location.
    let secrets: [Secret: String]
    /// The rules of the program by name.
    var rules: [String: MirrorPagination] = [:]

    /// The names of the query's parameters with credentials, which are in no stored URL.
    var credentialNames: Set<String> {
        if case .key(let key) = api.authentication, key.placement == .query {
            [key.name]
        } else {
            []
        }
    }

    /// Returns the request for a page.
    ///
    /// - Parameters:
    ///   - position: The position of the page.
    ///   - parents: The values of parents.
    ///   - interval: The part of the list.
    /// - Returns: The request without credentials and conditions.
    /// - Throws: ``MirrorError`` with code `invalidDefinition` if a placeholder has no value.
    func request(
        for position: PagePosition, _ parents: ParentRecord, _ interval: RequestInterval
    ) throws(MirrorError) -> TransportRequest {
        var items = try parameters(parents, interval)
        var members: [(String, Document)] = []
        if case .query = pagination.placement {
            items += try pageItems(position)
        } else {
            members += pageMembers(position)
        }
        let url: HTTPURL
        do throws(TransportError) {
            if case .url(let text) = position {
                url = try HTTPURL(parsing: text)
            } else {
                url = try self.url(parents, interval).replacingItems(items)
            }
        } catch {
            throw MirrorError(.invalidDefinition, resource: resource.name, underlying: error)
        }
        var request = TransportRequest(
            method: resource.method == .post ? .post : .get, url: url)
        for header in resource.headers {
            guard let value = try self.value(of: header, parents, interval) else { continue }
            do throws(TransportError) {
                try request.setHeader(value, for: header.name)
            } catch {
                throw MirrorError(.invalidDefinition, resource: resource.name, underlying: error)
            }
        }
        try addBody(to: &request, members, parents, interval)
        return request
    }

    // MARK: URL

    private func url(
        _ parents: ParentRecord, _ interval: RequestInterval
    ) throws(TransportError) -> HTTPURL {
        // A placeholder at the start can be a URL that the server sent.
        if case .parent(let name, let path)? = resource.path.parts.first,
            let value = parents[name, path]?.description, value.contains("://")
        {
            return try checked(base.resolving(value))
        }
        guard let path = resource.path.text(parents, interval, encoding: Self.pathText) else {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "a placeholder of the path \(resource.path) has no value")
        }
        return try checked(base.resolving(path))
    }

    /// Checks that a URL has the origin of the API, so that no record leads requests elsewhere.
    func checked(_ url: HTTPURL) throws(TransportError) -> HTTPURL {
        if url.origin == base.origin { return url }
        // Servers behind a proxy write links with the scheme that they see.
        if url.host == base.host, url.scheme == .http, base.scheme == .https {
            return try HTTPURL(parsing: base.origin.description + url.requestTarget)
        }
        throw TransportError(
            .invalidRequest, stage: .preparing,
            reason: "the link leads to \(url.origin), and not to \(base.origin)")
    }

    /// Returns the URL of a link without fragment and credentials.
    func withoutCredentials(_ url: HTTPURL) throws(TransportError) -> HTTPURL {
        let names = credentialNames
        guard let query = url.query, !names.isEmpty else { return url }
        let kept = query.split(separator: "&").filter { pair in
            let name = pair.prefix { $0 != "=" }
            return !names.contains(PercentEncoding.decoded(name.utf8))
        }
        return try url.resolving(
            kept.isEmpty ? url.path : url.path + "?" + kept.joined(separator: "&"))
    }

    /// Returns a value for a path: slashes stay, and segments that would leave the path are refused.
    private static func pathText(_ value: String) -> String? {
        let segments = value.split(separator: "/", omittingEmptySubsequences: false)
        if segments.contains(where: { $0 == "." || $0 == ".." }) { return nil }
        return segments.map { segment in
            var bytes: [UInt8] = []
            PercentEncoding.appendEncoded(segment.utf8, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: "/")
    }

    // MARK: Parameters

    private func parameters(
        _ parents: ParentRecord, _ interval: RequestInterval
    ) throws(MirrorError) -> [(String, String)] {
        var items: [(String, String)] = []
        for parameter in api.parameters + resource.parameters {
            guard let value = parameter.value.text(parents, interval) else { continue }
            items.removeAll { $0.0 == parameter.name && api.parameters.contains(parameter) }
            items.append((parameter.name, value))
        }
        if let cursor = resource.cursor, cursor.placement == .query {
            if let name = cursor.parameter, let start = interval.start {
                items.append((name, start))
            }
            if let name = cursor.endParameter, let end = interval.end { items.append((name, end)) }
        }
        return items
    }

    private func pageItems(_ position: PagePosition) throws(MirrorError) -> [(String, String)] {
        var items: [(String, String)] = []
        if let size = pagination.size, let name = size.parameter {
            items.append((name, String(size.count)))
        }
        switch (pagination.rule, position) {
        case (.pageNumber(let name, let first), .first), (.offset(let name, let first), .first):
            items.append((name, String(first)))
        case (.pageNumber(let name, _), .number(let number)),
            (.offset(let name, _), .number(let number)):
            items.append((name, String(number)))
        case (.cursor(_, let name), .cursor(let json)),
            (.lastIdentity(_, let name), .cursor(let json)):
            let node = (try? Document(parsing: json))?.root
            items.append((name, node.flatMap { $0.string ?? $0.numberText } ?? json))
        case (.custom(let name), .first): items += sorted(rules[name]?.first ?? [:])
        case (.custom, .parameters(let parameters)): items += sorted(parameters)
        default: break
        }
        return items
    }

    // MARK: Body

    private func pageMembers(_ position: PagePosition) -> [(String, Document)] {
        var members: [(String, Document)] = []
        if let size = pagination.size, let name = size.parameter {
            members.append((name, .number(size.count)))
        }
        switch (pagination.rule, position) {
        case (.pageNumber(let name, let first), .first), (.offset(let name, let first), .first):
            members.append((name, .number(first)))
        case (.pageNumber(let name, _), .number(let number)),
            (.offset(let name, _), .number(let number)):
            members.append((name, .number(number)))
        case (.cursor(_, let name), .cursor(let json)),
            (.lastIdentity(_, let name), .cursor(let json)):
            if let document = try? Document(parsing: json) { members.append((name, document)) }
        case (.custom(let name), .first):
            members += sorted(rules[name]?.first ?? [:]).map { ($0.0, .string($0.1)) }
        case (.custom, .parameters(let parameters)):
            members += sorted(parameters).map { ($0.0, .string($0.1)) }
        default: break
        }
        return members
    }

    private func sorted(_ parameters: [String: String]) -> [(String, String)] {
        parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func addBody(
        to request: inout TransportRequest, _ pageMembers: [(String, Document)],
        _ parents: ParentRecord, _ interval: RequestInterval
    ) throws(MirrorError) {
        var members = pageMembers
        if let cursor = resource.cursor, cursor.placement == .body {
            if let name = cursor.parameter, let start = interval.start {
                members.append((name, .string(start)))
            }
            if let name = cursor.endParameter, let end = interval.end {
                members.append((name, .string(end)))
            }
        }
        switch resource.body {
        case .form(let parameters)?:
            var items: [(String, String)] = []
            for parameter in parameters {
                guard let value = parameter.value.text(parents, interval) else { continue }
                items.append((parameter.name, value))
            }
            items += members.map { ($0.0, $0.1.root.string ?? $0.1.root.numberText ?? "") }
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            request.body = .bytes(Array(Self.query(items).utf8))
        case .json(let value)?:
            var builder = DocumentBuilder()
            value.append(to: &builder, adding: members, parents, interval)
            request.headerFields[.contentType] = "application/json"
            request.body = .bytes(JSONWriter.compact.bytes(of: builder.finish()))
        case nil:
            if members.isEmpty { return }
            request.headerFields[.contentType] = "application/json"
            request.body = .bytes(JSONWriter.compact.bytes(of: .object(members)))
        }
    }

    private func value(
        of header: HeaderDefinition, _ parents: ParentRecord, _ interval: RequestInterval
    ) throws(MirrorError) -> String? {
        switch header.value {
        case .text(let template): template.text(parents, interval)
        case .secret(let secret): secrets[secret]
        }
    }

    static func query(_ items: [(String, String)]) -> String {
        items.map { item in
            var bytes: [UInt8] = []
            PercentEncoding.appendEncoded(item.0.utf8, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            PercentEncoding.appendEncoded(item.1.utf8, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: "&")
    }
}

extension HTTPURL {
    /// Returns the URL with items in its query that replace those with the same names.
    fileprivate func replacingItems(_ items: [(String, String)]) throws(TransportError) -> HTTPURL {
        if items.isEmpty { return self }
        let names = Set(items.map(\.0))
        let kept = (query ?? "").split(separator: "&").filter { pair in
            !names.contains(PercentEncoding.decoded(pair.prefix { $0 != "=" }.utf8))
        }
        let pairs = kept.map(String.init) + [RequestComposer.query(items)]
        return try resolving("?" + pairs.joined(separator: "&"))
    }
}

extension TemplateValue {
    /// Appends the value to a document, with further members if it is an object.
    fileprivate func append(
        to builder: inout DocumentBuilder, adding members: [(String, Document)] = [],
        _ parents: ParentRecord, _ interval: RequestInterval
    ) {
        switch self {
        case .null: builder.null()
        case .boolean(let value): builder.bool(value)
        case .number(let text): ScalarValue.number(text).append(to: &builder)
        case .text(let template):
            if let text = template.text(parents, interval) {
                builder.string(text)
            } else {
                builder.null()
            }
        case .array(let elements):
            builder.beginArray()
            for element in elements { element.append(to: &builder, parents, interval) }
            builder.end()
        case .object(let own):
            builder.beginObject()
            for member in own where !members.contains(where: { $0.0 == member.key }) {
                builder.key(member.key)
                member.value.append(to: &builder, parents, interval)
            }
            for (key, document) in members {
                builder.key(key)
                builder.value(document)
            }
            builder.end()
        }
    }
}
