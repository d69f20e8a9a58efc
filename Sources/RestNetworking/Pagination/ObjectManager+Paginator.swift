// SPDX-License-Identifier: Apache-2.0

public import RestMapping

extension ObjectManager {
    /// Returns a paginator for a list of objects or values.
    ///
    /// A response descriptor for the type and the path gives the key path of the objects. Without
    /// one, the whole document is mapped.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - pathPattern: A path relative to the base URL, with the parameters `:perPage`,
    ///     `:currentPage` and `:offset` where the values of a page belong, usually in the query.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    /// - Returns: A paginator that has loaded nothing yet.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` for an
    ///   invalid pattern, or if there is no ``paginationMapping`` for ``PaginationState``.
    public func paginator<Object: MappableValue>(
        of type: Object.Type, pathPattern: String, parameters: RequestParameters = [:]
    ) throws(NetworkingError) -> Paginator<Object> {
        try paginator(pathPattern, parameters, .objects(of: type))
    }

    /// Returns a paginator for a list of values that decode themselves.
    @_disfavoredOverload
    public func paginator<Object: Decodable & SendableMetatype>(
        of type: Object.Type, pathPattern: String, parameters: RequestParameters = [:]
    ) throws(NetworkingError) -> Paginator<Object> {
        try paginator(pathPattern, parameters, .objects(of: type))
    }

    /// Returns a paginator for the objects of all response descriptors that match.
    ///
    /// - Parameters:
    ///   - pathPattern: A path pattern, as for `paginator(of:pathPattern:parameters:)`.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    /// - Returns: A paginator that has loaded nothing yet.
    /// - Throws: ``NetworkingError``, as `paginator(of:pathPattern:parameters:)`.
    public func paginator(
        pathPattern: String, parameters: RequestParameters = [:]
    ) throws(NetworkingError) -> Paginator<Any> {
        try paginator(pathPattern, parameters, .anyObjects)
    }

    private func paginator<Object>(
        _ pathPattern: String, _ parameters: RequestParameters,
        _ reading: ResponseReading<[Object]>
    ) throws(NetworkingError) -> Paginator<Object> {
        let pattern = try PathPattern(pathPattern)
        let mapping = try Self.plan(of: paginationMapping)
        return Paginator(
            self, pathPattern: pattern, parameters: parameters, mapping: mapping, reading: reading)
    }

    private static func plan(of mapping: ObjectMapping?) throws(NetworkingError) -> MappingPlan {
        guard let mapping else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: [
                    "a paginator needs the paginationMapping of the object manager; for a server that "
                        + "sends no counts, set ObjectMapping(for: PaginationState.self) {}"
                ])
        }
        guard let subject = mapping.table.subject, subject == PaginationState.self else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: [
                    "the paginationMapping is for \(mapping.table.name); it must be for "
                        + "PaginationState, as ObjectMapping(for: PaginationState.self)"
                ])
        }
        do throws(MappingError) {
            return try MappingCompiler().compile(mapping.mapping)
        } catch {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: error.diagnostics.map { "paginationMapping: \($0)" }, underlying: error)
        }
    }
}

extension ResponseReading<[Any]> {
    /// Reads the objects of all descriptors that match.
    fileprivate static var anyObjects: ResponseReading {
        ResponseReading(expectation: .descriptors) { response, entities, report in
            var objects: [Any] = []
            for match in response.matches {
                objects += try response.newObjects(of: match, entities, &report)
            }
            return objects
        }
    }
}
