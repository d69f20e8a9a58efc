// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping

// One initializer for each kind of value. They differ only in the mapping of the response.

extension ObjectRequest where Value: MappableValue {
    /// Creates a request whose response is one value: an object, a plain value, or a collection.
    ///
    /// - Parameters:
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - object: The object to send, or to fill the parameters of a route with.
    ///   - parameters: The parameters of the body or of the query.
    ///   - keyPath: The location of the value in the response.
    public init(
        _ method: HTTPRequest.Method? = nil, at target: some RequestTargetConvertible,
        object: RequestObject? = nil, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil
    ) {
        self.init(
            .value(), method, target, object: object, parameters: parameters, keyPath: keyPath)
    }
}

extension ObjectRequest where Value: Decodable & SendableMetatype {
    /// Creates a request whose response is one value that decodes itself.
    @_disfavoredOverload
    public init(
        _ method: HTTPRequest.Method? = nil, at target: some RequestTargetConvertible,
        object: RequestObject? = nil, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil
    ) {
        self.init(
            .decoded(), method, target, object: object, parameters: parameters, keyPath: keyPath)
    }
}

extension ObjectRequest where Value == Void {
    /// Creates a request whose response has no value: its body is received but not read.
    public init(
        _ method: HTTPRequest.Method? = nil, at target: some RequestTargetConvertible,
        object: RequestObject? = nil, parameters: RequestParameters = [:]
    ) {
        self.init(.nothing, method, target, object: object, parameters: parameters)
    }
}

extension ObjectRequest where Value == MappingResult {
    /// Creates a request whose response is mapped by all response descriptors that match.
    public init(
        _ method: HTTPRequest.Method? = nil, at target: some RequestTargetConvertible,
        object: RequestObject? = nil, parameters: RequestParameters = [:]
    ) {
        self.init(.result, method, target, object: object, parameters: parameters)
    }
}

extension ObjectRequest where Value == ObjectResponse {
    /// Creates a request whose response is matched with descriptors, but not mapped.
    ///
    /// - Parameters:
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - object: The object to send, or to fill the parameters of a route with.
    ///   - parameters: The parameters of the body or of the query.
    ///   - keyPath: The location of the objects in the response.
    ///   - expected: The descriptor to use if the manager has none for objects of the same type.
    public init(
        _ method: HTTPRequest.Method? = nil, at target: some RequestTargetConvertible,
        object: RequestObject? = nil, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, expecting expected: ResponseDescriptor? = nil
    ) {
        self.init(
            .response(expecting: expected), method, target, object: object,
            parameters: parameters, keyPath: keyPath)
    }
}
