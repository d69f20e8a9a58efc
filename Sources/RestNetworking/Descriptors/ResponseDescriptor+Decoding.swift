// SPDX-License-Identifier: Apache-2.0

public import RestDocument
import RestMapping

extension ResponseDescriptor {
    /// Creates a descriptor for a type that decodes itself.
    ///
    /// To choose how dates, data and keys are read, pass a ``/RestMapping/CodableMapping`` with a
    /// decoder instead of the type.
    ///
    /// - Parameters:
    ///   - type: A `Decodable` type.
    ///   - path: A path pattern relative to the base URL; `nil` for all paths.
    ///   - methods: The request methods.
    ///   - keyPath: The location of the representation. Null there is an empty list.
    ///   - statusCodes: The status codes; `nil` for all status codes.
    @_disfavoredOverload
    public init<Value: Decodable & SendableMetatype>(
        _ type: Value.Type, at path: String? = nil, methods: MethodSet = .any,
        keyPath: DocumentPath = .root, statusCodes: StatusCodeSet? = .successful
    ) {
        self.init(
            CodableMapping(for: type), at: path, methods: methods, keyPath: keyPath,
            statusCodes: statusCodes)
    }
}
