// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping
public import RestTransport

extension ObjectManager {
    /// Gets one value: a mapped object, or a list or dictionary of them, or plain values.
    ///
    /// A descriptor that was added for the type and the path says where in the document the value
    /// is; without one it is the whole document.
    ///
    /// - Parameters:
    ///   - path: A path under the base URL.
    ///   - parameters: An object whose members go into the query, as a form.
    ///   - type: The type, where the context does not say it.
    /// - Returns: The value, new and the caller's own; of an empty body, whatever the status of
    ///   success, `nil` or an empty list, set or dictionary.
    /// - Throws: ``NetworkingError``, with code ``NetworkingError/Code/emptyResponse`` when the body
    ///   is empty and the type has no value for that, or `CancellationError`.
    public func get<Value: MappableValue>(
        _ path: String, parameters: Document = [:], as type: Value.Type = Value.self
    ) async throws -> sending Value {
        let expected = try defaultDescriptor(for: type)
        let request = try request(.get, at: path, parameters: parameters)
        return try await value(type, expected, request)
    }

    /// Gets a list of objects, or a single one, of a type.
    ///
    /// A descriptor that was added for the type and the path says where in the document the objects
    /// are; without one they are the whole document.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - path: A path under the base URL.
    ///   - parameters: An object whose members go into the query, as a form.
    /// - Returns: The objects in document order, new and the caller's own; empty for an empty body.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    public func getObjects<Object: Mapped>(
        _ type: Object.Type, at path: String, parameters: Document = [:]
    ) async throws -> sending [Object] {
        let expected = try defaultDescriptor(for: type)
        let request = try request(.get, at: path, parameters: parameters)
        return try await objects(type, expected, request)
    }

    /// Gets everything that descriptors say a response holds.
    ///
    /// - Parameters:
    ///   - path: A path under the base URL.
    ///   - parameters: An object whose members go into the query, as a form.
    /// - Returns: The objects by key path, new and the caller's own; empty for an empty body.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    public func getObjects(
        at path: String, parameters: Document = [:]
    ) async throws -> sending MappingResult {
        try await result(request(.get, at: path, parameters: parameters))
    }
}

// MARK: - Stages

extension ObjectManager {
    /// Makes a request, to be given to ``response(to:expecting:)``.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - path: A path under the base URL.
    ///   - parameters: What goes into the body, in the ``requestFormat``, if the method is PATCH, POST
    ///     or PUT; an object whose members go into the query, as a form, if it is another. Of an
    ///     empty object nothing goes.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/foreignOrigin`` if the path
    ///   leads away from the base URL's origin, else ``NetworkingError/Code/invalidRequest``.
    public func request(
        _ method: HTTPRequest.Method, at path: String, parameters: Document = [:]
    ) throws(NetworkingError) -> TransportRequest {
        try RequestAssembler(configuration: snapshot).request(
            method, at: path, parameters: parameters)
    }

    /// Sends a request, reads the response and matches it with descriptors, but makes no object.
    ///
    /// For callers that map into something of their own, such as rows of a store.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - expected: What the response holds if no added descriptor for objects of the same type
    ///     describes it; `nil` to take whatever is described.
    /// - Returns: The response with its matches.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    /// - Isolation: Runs off the caller's isolation.
    @concurrent
    public func response(
        to request: TransportRequest, expecting expected: ResponseDescriptor? = nil
    ) async throws -> ObjectResponse {
        let configuration = snapshot
        try Task.checkCancellation()
        let response: TransportResponse
        do {
            response = try await configuration.client.send(request)
        } catch let error as TransportError {
            throw NetworkingError(
                .transportFailed, stage: .transport, method: request.method.rawValue,
                url: request.url.redacted, underlying: error)
        }
        let reader = ResponseReader(
            selection: DescriptorSelection(
                descriptors: configuration.responseDescriptors, expected: expected),
            baseURL: configuration.client.baseURL,
            format: ResponseFormat(
                formats: configuration.formats, limits: configuration.parseLimits))
        var matched = try await reader.read(response)
        matched.storedAs = response.storedAs
        matched.origin = response.origin
        try Task.checkCancellation()
        return matched
    }

    @concurrent
    private func value<Value: MappableValue>(
        _ type: Value.Type, _ expected: ResponseDescriptor, _ request: TransportRequest
    ) async throws -> sending Value {
        try await value(type, of: response(to: request, expecting: expected))
    }

    /// Makes the value of a response.
    @concurrent
    func value<Value: MappableValue>(
        _ type: Value.Type, of response: ObjectResponse
    ) async throws -> sending Value {
        guard let match = response.matches.first else {
            if let type = type as? any EmptyResponseValue.Type,
                let empty = type.ofNothing() as? Value
            {
                return empty
            }
            throw response.error(.emptyResponse, stage: .mapping)
        }
        var report = MappingReport()
        let value = try response.mapping { () throws(MappingError) in
            try match.plan.value(
                type, from: match.representation, in: match.environment, report: &report)
        }
        await markMapped(response)
        return value
    }

    @concurrent
    private func objects<Object: Mapped>(
        _ type: Object.Type, _ expected: ResponseDescriptor, _ request: TransportRequest
    ) async throws -> sending [Object] {
        let response = try await response(to: request, expecting: expected)
        let objects = try response.objects(type).objects
        await markMapped(response)
        return objects
    }

    @concurrent
    private func result(_ request: TransportRequest) async throws -> sending MappingResult {
        let response = try await response(to: request)
        var report = MappingReport()
        var sections: [MappingResult.Section] = []
        for match in response.matches {
            let objects = try response.newObjects(of: match, &report)
            sections.append(
                MappingResult.Section(
                    keyPath: SourcePath(match.descriptor.keyPath), objects: objects))
        }
        await markMapped(response)
        return MappingResult(sections, report: report)
    }

    /// Notes in the client's cache that objects were made of a response.
    package func markMapped(_ response: ObjectResponse) async {
        guard let stored = response.storedAs else { return }
        await snapshot.client.cache?.markMapped(stored)
    }
}

extension ObjectResponse {
    /// Makes the objects of a type that the matches describe.
    func objects<Object: Mapped>(
        _ type: Object.Type
    ) throws(NetworkingError) -> (objects: [Object], report: MappingReport) {
        var report = MappingReport()
        var objects: [Object] = []
        for match in matches {
            let more = try mapping { () throws(MappingError) in
                try match.plan.objects(
                    type, from: match.representation, in: match.environment, report: &report)
            }
            if objects.isEmpty { objects = more } else { objects += more }
        }
        return (objects, report)
    }

    /// Does something with a plan; its error becomes one that names the request.
    func mapping<Result>(
        _ body: () throws(MappingError) -> Result
    ) throws(NetworkingError) -> Result {
        do throws(MappingError) {
            return try body()
        } catch {
            throw self.error(.mappingFailed, stage: .mapping, path: error.path, underlying: error)
        }
    }
}

/// A type with a value that stands for an empty body.
private protocol EmptyResponseValue: SendableMetatype {
    static func ofNothing() -> sending Self
}

extension Optional: EmptyResponseValue where Wrapped: MappableValue {
    fileprivate static func ofNothing() -> sending Wrapped? { nil }
}

extension Array: EmptyResponseValue where Element: MappableValue {
    fileprivate static func ofNothing() -> sending [Element] { [] }
}

extension Set: EmptyResponseValue where Element: MappableValue {
    fileprivate static func ofNothing() -> sending Set<Element> { [] }
}

extension Dictionary: EmptyResponseValue where Value: MappableValue {
    fileprivate static func ofNothing() -> sending [Key: Value] { [:] }
}
