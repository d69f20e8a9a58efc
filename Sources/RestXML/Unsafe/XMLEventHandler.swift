// SPDX-License-Identifier: Apache-2.0

import CLibXML2
import RestDocument

extension xmlSAXHandler {
    /// The callbacks that convert events and pass them to the parser.
    ///
    // Invariant: the user data of every call is the `XMLPushParser` that is parsing, and the texts
    // live until the callback returns, which copies them.
    static var forwardingEvents: xmlSAXHandler {
        var handler = unsafe xmlSAXHandler()
        unsafe handler.initialized = XML_SAX2_MAGIC
        unsafe handler.startElementNs = {
            user, name, prefix, _, namespaceCount, namespaces, attributeCount, _, attributes in
            let name = unsafe qualifiedName(prefix, name)
            let all =
                unsafe namespaceDeclarations(namespaces, count: Int(namespaceCount))
                + attributeValues(attributes, count: Int(attributeCount))
            unsafe parser(user).report { builder, offset throws(XMLSyntaxError) in
                try builder.beginElement(name, attributes: all, at: offset)
            }
        }
        unsafe handler.endElementNs = { user, _, _, _ in
            unsafe parser(user).report { builder, _ in builder.endElement() }
        }
        unsafe handler.characters = { user, start, count in
            let text = unsafe string(start, count: Int(count))
            unsafe parser(user).report { builder, _ in builder.add(text: text) }
        }
        unsafe handler.ignorableWhitespace = unsafe handler.characters
        unsafe handler.cdataBlock = { user, start, count in
            let text = unsafe string(start, count: Int(count))
            unsafe parser(user).report { builder, _ in builder.add(section: text) }
        }
        unsafe handler.processingInstruction = { user, target, _ in
            let target = unsafe string(target)
            unsafe parser(user).report { builder, offset throws(XMLSyntaxError) in
                try builder.addInstruction(target: target, at: offset)
            }
        }
        // The scanner refuses declarations; this is the second line of defense.
        unsafe handler.entityDecl = { user, _, _, _, _, _ in
            unsafe parser(user).fail(.entityDeclaration)
        }
        unsafe handler.serror = { user, error in
            guard let error = unsafe error, unsafe error.pointee.level != XML_ERR_WARNING else {
                return
            }
            let libraryError = unsafe XMLLibraryError(number: Int(error.pointee.code))
            if !libraryError.isWarning { unsafe parser(user).fail(libraryError) }
        }
        return unsafe handler
    }
}

private func parser(_ user: UnsafeMutableRawPointer?) -> XMLPushParser {
    guard let user = unsafe user else { preconditionFailure("libxml2 lost its user data") }
    return unsafe Unmanaged<XMLPushParser>.fromOpaque(user).takeUnretainedValue()
}

private func string(_ start: UnsafePointer<xmlChar>?, count: Int) -> String {
    unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
}

private func string(_ text: UnsafePointer<xmlChar>?) -> String {
    guard let text = unsafe text else { return "" }
    return unsafe String(cString: text)
}

private func qualifiedName(
    _ prefix: UnsafePointer<xmlChar>?, _ name: UnsafePointer<xmlChar>?
) -> String {
    guard let prefix = unsafe prefix else { return unsafe string(name) }
    return unsafe string(prefix) + ":" + string(name)
}

/// Returns the attributes of a list of pairs, prefix and URI.
private func namespaceDeclarations(
    _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
) -> [XMLAttribute] {
    guard let list = unsafe list else { return [] }
    return (0..<count).map { index in
        let prefix = unsafe list[2 * index]
        return unsafe XMLAttribute(
            name: prefix == nil ? "xmlns" : "xmlns:" + string(prefix),
            value: string(list[2 * index + 1]))
    }
}

/// Returns the attributes of a list of name, prefix, URI, and the value's start and end.
private func attributeValues(
    _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
) -> [XMLAttribute] {
    guard let list = unsafe list else { return [] }
    return (0..<count).compactMap { index in
        let fields = unsafe list + 5 * index
        guard let start = unsafe fields[3], let end = unsafe fields[4] else { return nil }
        return unsafe XMLAttribute(
            name: qualifiedName(fields[1], fields[0]), value: string(start, count: end - start))
    }
}
