// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument

/// The JSON file of a recording.
///
/// Shape: `{"version": 1, "exchanges": [{"request": {"method", "url", "headers", "body"?},
/// "response": {"status", "headers", "body"}}]}`. Headers are a list of pairs. A body is a string if it
/// is valid UTF-8, otherwise `{"base64": string}`.
enum RecordingFile {
    static func write(_ exchanges: [RecordedExchange], to file: URL) throws(RecordingError) {
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.key("version")
        builder.number(1)
        builder.key("exchanges")
        builder.beginArray()
        for exchange in exchanges { append(exchange, to: &builder) }
        builder.end()
        builder.end()
        let text = JSONWriter.pretty.bytes(of: builder.finish())
        do {
            try Data(text + [UInt8(ascii: "\n")]).write(to: file, options: .atomic)
        } catch {
            throw RecordingError("the recording \(file.path) cannot be written: \(error)")
        }
    }

    static func read(_ file: URL) throws(RecordingError) -> [RecordedExchange] {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw RecordingError("there is no recording \(file.path); record one first")
        }
        let document: Document
        do {
            document = try Document(parsing: data)
        } catch {
            throw RecordingError("the recording \(file.path) is not JSON: \(error)")
        }
        guard document.root["version"]?.int64 == 1, let list = document.root["exchanges"] else {
            throw RecordingError("the file \(file.path) is not a recording of version 1")
        }
        var exchanges: [RecordedExchange] = []
        for (index, node) in list.elements.enumerated() {
            guard let exchange = exchange(node) else {
                throw RecordingError(
                    "exchange \(index + 1) of the recording \(file.path) is incomplete")
            }
            exchanges.append(exchange)
        }
        return exchanges
    }

    // MARK: Writing

    private static func append(_ exchange: RecordedExchange, to builder: inout DocumentBuilder) {
        builder.beginObject()
        builder.key("request")
        builder.beginObject()
        builder.key("method")
        builder.string(exchange.method.rawValue)
        builder.key("url")
        builder.string(exchange.url)
        append(exchange.requestFields, to: &builder)
        if let body = exchange.requestBody { append(body, to: &builder) }
        builder.end()
        builder.key("response")
        builder.beginObject()
        builder.key("status")
        builder.number(exchange.head.status.code)
        append(exchange.head.headerFields, to: &builder)
        append(exchange.body, to: &builder)
        builder.end()
        builder.end()
    }

    private static func append(_ fields: HTTPFields, to builder: inout DocumentBuilder) {
        builder.key("headers")
        builder.beginArray()
        for field in fields {
            builder.beginArray()
            builder.string(field.name.rawName)
            builder.string(field.value)
            builder.end()
        }
        builder.end()
    }

    private static func append(_ body: [UInt8], to builder: inout DocumentBuilder) {
        builder.key("body")
        if let text = String(validating: body, as: UTF8.self) {
            builder.string(text)
        } else {
            builder.beginObject()
            builder.key("base64")
            builder.string(Data(body).base64EncodedString())
            builder.end()
        }
    }

    // MARK: Reading

    private static func exchange(_ node: Node) -> RecordedExchange? {
        guard let request = node["request"], let response = node["response"],
            let method = request["method"]?.string.flatMap({ HTTPRequest.Method($0) }),
            let url = request["url"]?.string, let requestFields = fields(request),
            let code = response["status"]?.int64, (0...999).contains(code),
            let responseFields = fields(response), let body = body(response)
        else { return nil }
        let requestBody = Self.body(request)
        if request["body"] != nil, requestBody == nil { return nil }
        return RecordedExchange(
            method: method, url: url, requestFields: requestFields, requestBody: requestBody,
            head: HTTPResponse(status: .init(code: Int(code)), headerFields: responseFields),
            body: body)
    }

    private static func fields(_ node: Node) -> HTTPFields? {
        var fields = HTTPFields()
        guard let headers = node["headers"] else { return nil }
        for pair in headers.elements {
            guard let name = pair[0]?.string.flatMap({ HTTPField.Name($0) }),
                let value = pair[1]?.string
            else { return nil }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }

    private static func body(_ node: Node) -> [UInt8]? {
        guard let body = node["body"] else { return nil }
        if let text = body.string { return Array(text.utf8) }
        return body["base64"]?.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}
