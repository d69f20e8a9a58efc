// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping

extension ObjectManager {
    /// Returns the pages of a list of objects or values.
    ///
    /// A response descriptor for the type and the path gives the mapping and the key path of the
    /// objects. If there are no descriptors for the type, the type's own mapping applies to the
    /// whole document. The request is created by this function and sent by the iteration, which also
    /// throws its errors.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: The parameters of the query, form-encoded; of the body, if `configure` sets a
    ///     method such as POST.
    ///   - keyPath: The location of the objects in a response, in place of that of a descriptor.
    ///   - pagination: The pagination of the list.
    ///   - configure: Sets further properties of the requests, such as header fields or limits.
    /// - Returns: An asynchronous sequence of pages.
    public func pages<Object: MappableValue>(
        of type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        by pagination: Pagination,
        configure: (inout ObjectRequest<[Object]>) -> Void = { _ in }
    ) -> Pages<Object> {
        pages(.objects(of: type), target, parameters, keyPath, pagination, configure)
    }

    /// Returns the pages of a list of values that decode themselves.
    ///
    /// The ``decoder`` defines how dates, data and keys are read.
    @_disfavoredOverload
    public func pages<Object: Decodable & SendableMetatype>(
        of type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        by pagination: Pagination,
        configure: (inout ObjectRequest<[Object]>) -> Void = { _ in }
    ) -> Pages<Object> {
        pages(.objects(of: type), target, parameters, keyPath, pagination, configure)
    }

    /// Returns the pages of a list, whose first page is the response to a request.
    ///
    /// ```swift
    /// var request = ObjectRequest<[Article]>(at: "articles", keyPath: "data")
    /// request.timeout = .seconds(5)
    /// for try await page in api.pages(of: request, by: .linkHeader) { show(page.objects) }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request for the list, without the parameters of the pagination.
    ///   - pagination: The pagination of the list.
    /// - Returns: An asynchronous sequence of pages.
    public func pages<Object>(
        of request: ObjectRequest<[Object]>, by pagination: Pagination
    ) -> Pages<Object> {
        Pages(
            manager: self, pagination: pagination,
            request: Result { () throws(NetworkingError) in
                try assemble(request, forPagesBy: pagination)
            })
    }

    /// Returns the request for a list as bytes, to which pages add their parameters.
    package func assemble<Value>(
        _ request: ObjectRequest<Value>, forPagesBy pagination: Pagination
    ) throws(NetworkingError) -> AssembledRequest<Value> {
        var assembler = RequestAssembler(configuration: snapshot)
        assembler.keepsBodyDocument = pagination.placement == .body
        return try assembler.assemble(request)
    }

    private func pages<Object>(
        _ reading: ResponseReading<[Object]>, _ target: some RequestTargetConvertible,
        _ parameters: RequestParameters, _ keyPath: DocumentPath?, _ pagination: Pagination,
        _ configure: (inout ObjectRequest<[Object]>) -> Void
    ) -> Pages<Object> {
        var request = ObjectRequest(
            reading, .get, target, parameters: parameters, keyPath: keyPath)
        configure(&request)
        return pages(of: request, by: pagination)
    }
}
