// SPDX-License-Identifier: Apache-2.0

public import RestMapping

extension ObjectManager {
    /// Returns an operation whose response updates a copy of a value, without enqueueing it.
    ///
    /// The response is mapped as by ``ObjectResponse/result(updating:)``. An object of a class
    /// that is not Sendable cannot enter an operation; use ``send(_:updating:)``, which updates it in
    /// the caller's isolation.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: The value. The result contains its updated copy.
    /// - Returns: The operation.
    /// - Throws: ``NetworkingError`` if the request cannot be assembled.
    public func operation<Target: Mapped & Sendable>(
        for request: ObjectRequest<MappingResult>, updating target: Target
    ) throws(NetworkingError) -> ObjectRequestOperation<MappingResult> {
        var assembled = try assemble(request)
        try assembled.update(target)
        return ObjectRequestOperation(assembled, manager: self)
    }

    /// Assembles a request and enqueues an operation whose response updates a copy of a value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: The value. The result contains its updated copy.
    /// - Returns: The operation.
    /// - Throws: ``NetworkingError`` if the request cannot be assembled. Nothing is then enqueued.
    @discardableResult
    public func enqueue<Target: Mapped & Sendable>(
        _ request: ObjectRequest<MappingResult>, updating target: Target
    ) throws(NetworkingError) -> ObjectRequestOperation<MappingResult> {
        let operation = try operation(for: request, updating: target)
        try enqueue(operation)
        return operation
    }
}

extension ObjectRequestOperation<MappingResult> {
    /// Returns a copy of the operation whose response updates a copy of a value.
    ///
    /// - Parameter target: The value. The result contains its updated copy.
    /// - Returns: A new operation, as from ``copy()``.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if the
    ///   type's own mapping is used and is invalid.
    public func copy<Target: Mapped & Sendable>(
        updating target: Target
    ) throws(NetworkingError) -> ObjectRequestOperation {
        try copy { assembled throws(NetworkingError) in try assembled.update(target) }
    }
}

extension AssembledRequest<MappingResult> {
    /// Sets the value that the response updates a copy of.
    fileprivate mutating func update<Target: Mapped & Sendable>(
        _ target: Target
    ) throws(NetworkingError) {
        if !configuration.value.responseDescriptors.describesSuccess {
            expected = try configuration.value.defaults.descriptor(
                for: ExpectedMapping(of: Target.self))
        }
        reading = ResponseReading(expectation: reading.expectation) { response, entities, report in
            try response.result(updating: target, holding: entities, &report)
        }
    }
}
