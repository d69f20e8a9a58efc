// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestTransport

// A call with a type that can be neither mapped nor decoded matches only these functions. Their message
// replaces the compiler's list of rejected candidates; it is that of the whole extension, as an attribute
// requires a literal.

@available(
    *, unavailable,
    message: """
        the type of the value or of the objects can be neither mapped nor decoded; declare the structure \
        or class '@Mapped' or ': Codable', or an enum ': MappableValue'
        """
)
extension ObjectManager {
    /// Unavailable: the type of the value can be neither mapped nor decoded.
    @_disfavoredOverload
    public func get<Value>(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the objects can be neither mapped nor decoded.
    @_disfavoredOverload
    public func getObjects<Object>(
        _ type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil,
        configure: (inout ObjectRequest<[Object]>) throws -> Void = { _ in }
    ) async throws -> sending [Object] {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the objects can be neither mapped nor decoded.
    @_disfavoredOverload
    public func pages<Object>(
        of type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, by pagination: Pagination,
        configure: (inout ObjectRequest<[Object]>) -> Void = { _ in }
    ) -> Pages<Object> {
        fatalError("unavailable")
    }
}

@available(
    *, unavailable,
    message: """
        the type of the object or of the value can be neither mapped nor coded; declare the structure \
        or class '@Mapped' or ': Codable', or an enum ': MappableValue'
        """
)
extension RequestSender {
    /// Unavailable: the type of the object can be neither mapped nor encoded.
    @_disfavoredOverload
    public func callAsFunction<Object>(
        _ object: Object, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the object or of the value can be neither mapped nor coded.
    @_disfavoredOverload
    public func callAsFunction<Object, Value>(
        _ object: Object, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> sending Value {
        fatalError("unavailable")
    }
}

@available(
    *, unavailable,
    message: """
        the type has no mapping; declare the structure or class '@Mapped' or ': Codable'
        """
)
extension ResponseDescriptor {
    /// Unavailable: the type has no mapping.
    @_disfavoredOverload
    public init<Subject>(
        _ type: Subject.Type, at path: String? = nil, methods: MethodSet = .any,
        keyPath: DocumentPath = .root, statusCodes: StatusCodeSet? = .successful
    ) {
        fatalError("unavailable")
    }
}
