/** Whether only programs of this machine reach the address. */
export const isLoopback = (address: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(address)
