// SPDX-License-Identifier: Apache-2.0

extension MappingSubject {
    /// Returns the value of one property, read through its key path.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func value(named name: String) throws(MappingError) -> Any? {
        try typedValue(named: name)
    }

    /// Returns the value of one property in its Swift type.
    package func typedValue(named name: String) throws(MappingError) -> Any? {
        let table = type(of: self).properties
        guard let index = table.index(of: name), let keyPath = table.properties[index].keyPath
        else {
            throw .unknownProperty(name, of: table.name, among: table.properties.map(\.name))
        }
        return Self.present((self as Any)[keyPath: keyPath as AnyKeyPath])
    }
}
