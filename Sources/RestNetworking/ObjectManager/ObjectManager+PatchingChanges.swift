// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping

extension ObjectManager {
    /// Sends the changes of an object as a merge patch, and returns the object that the server
    /// answers with.
    ///
    /// ```swift
    /// let edited = try await api.patch(
    ///     article.with { $0.title = "New" }, changesSince: article)      // {"title":"New"}
    /// ```
    ///
    /// Both objects are written by the request descriptor for PATCH, or by the type's own mapping.
    /// The body contains the members that differ: a new value, or null for a value that is now absent.
    /// Arrays are replaced as a whole. If nothing differs, no request is sent.
    ///
    /// - Parameters:
    ///   - object: The changed object.
    ///   - base: The object before the changes, as the server knows it.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: The parameters, which are merged into the changes.
    ///   - keyPath: The location of the object in the response, in place of that of a descriptor.
    ///   - configure: Sets further properties of the request.
    /// - Returns: The object in the response; the changed object if the response has no body, or if
    ///   nothing was sent.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    /// - Source: RFC 7396; the media type is `application/merge-patch+json`.
    public func patch<Object: Mapped>(
        _ object: Object, changesSince base: Object,
        at target: some RequestTargetConvertible = .object, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil,
        configure: (inout ObjectRequest<Object?>) throws -> Void = { _ in }
    ) async throws -> Object {
        var request = ObjectRequest<Object?>(
            .patch, at: target, object: RequestObject(object), parameters: parameters,
            keyPath: keyPath)
        request.base = RequestObject(base)
        try configure(&request)
        let assembled = try assemble(request)
        if assembled.isWithoutChanges { return object }
        return try await perform(assembled).value ?? object
    }
}
