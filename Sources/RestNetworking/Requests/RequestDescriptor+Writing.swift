// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

extension RequestDescriptor {
    /// Returns the parameters of a request that sends an object, without an object manager.
    ///
    /// ```swift
    /// let parameters = try descriptor.parameters(of: article)     // {"article": {"title": …}}
    /// let body = try FormatRegistry.standard.write(parameters, as: .json)
    /// ```
    ///
    /// - Parameter object: An object of the descriptor's type, or an array of them.
    /// - Returns: The representation in the ``rootKey``, if there is one; that of an array is a list.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if the object
    ///   is of another type or has a value without a representation, or with code
    ///   ``NetworkingError/Code/invalidConfiguration`` and the ``diagnostics`` of an invalid
    ///   descriptor.
    /// - Source: RestKit's `RKObjectParameterization`.
    public func parameters(of object: some RequestContent) throws(NetworkingError) -> Document {
        guard diagnostics.isEmpty else {
            throw NetworkingError(.invalidConfiguration, stage: .assembly, causes: diagnostics)
        }
        return try ObjectWriter(self).document(of: object.requestObject, adding: [:]) ?? [:]
    }
}
