// SPDX-License-Identifier: Apache-2.0

// The members of Foundation's types that only Apple's platforms have.

public import Foundation
public import FoundationNetworking
public import Security

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
}

extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set {}
    }
}

extension Stream {
    public class func getBoundStreams(
        withBufferSize bufferSize: Int,
        inputStream: AutoreleasingUnsafeMutablePointer<InputStream?>?,
        outputStream: AutoreleasingUnsafeMutablePointer<OutputStream?>?
    ) { fatalError() }
}

/// The pointer of Objective-C's out parameters, which `&` creates there.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
